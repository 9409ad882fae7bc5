import { readdirSync } from 'node:fs';
import { calleeConfig } from '@store/shared/auth/config';
import { databaseConfig } from '@store/shared/database/config';
import { messagingConfig } from '@store/shared/messaging/config';
import { serviceConfig } from '@store/shared/service/config';
import { z } from 'zod';

/** Each folder of groups/ is a consumer group, `<folder>-group` (contract 6.8). */
const groupNames = readdirSync(new URL('groups', import.meta.url)).map((name) => `${name}-group`);

export const configSchema = z.object({
  ...serviceConfig,
  ...calleeConfig,
  ...databaseConfig,
  ...messagingConfig,
  CONSUMER_GROUP: z.enum(groupNames),
  /** Without it messages to customers are stored but not sent. */
  SMTP_URL: z.url({ protocol: /^smtps?$/, error: 'must be smtp://host:port or smtps://user:password@host' }).optional(),
  SMTP_FROM: z.string().max(320).default('Store <no-reply@store.invalid>'),
  /** Events contain no e-mail address: a customer's is <customer id>@<domain>, which a mail server can map. */
  NOTIFICATION_DOMAIN: z.hostname().default('customers.invalid'),
});

export type ConsumersConfig = z.output<typeof configSchema>;
