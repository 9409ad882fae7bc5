import { commonConfig, consumerConfig, databaseUrl } from '@store/shared/service/config';
import { z } from 'zod';
import { consumerGroups } from './groups.ts';

export const configSchema = z.object({
  ...commonConfig,
  ...consumerConfig,
  DATABASE_URL: databaseUrl,
  /** spec: Events, rule 2 */
  CONSUMER_GROUP: z.enum(consumerGroups),
  /** Without it messages to customers are stored and never sent. */
  SMTP_URL: z.url({ protocol: /^smtps?$/, error: 'must be smtp://host:port or smtps://user:password@host' }).optional(),
  SMTP_FROM: z.string().max(320).default('Store <no-reply@store.invalid>'),
  /** Events name no e-mail address: a customer's is <customer id>@ this, for a mail server to map. */
  NOTIFICATION_DOMAIN: z.hostname().default('customers.invalid'),
});
