import { readdirSync } from 'node:fs';
import { bearerConfig, calleeConfig, requireBearerKeys } from '@store/shared/auth/config';
import { databaseConfig } from '@store/shared/database/config';
import { messagingConfig } from '@store/shared/messaging/config';
import { serviceConfig } from '@store/shared/service/config';
import { reportTogether, serviceUrl } from '@store/shared/values/environment';
import { text } from '@store/shared/values/fields';
import { z } from 'zod';

/** Each folder of groups/ is a consumer group, `<folder>-group` (contract 6.8). */
const groupNames = readdirSync(new URL('groups', import.meta.url)).map((name) => `${name}-group`);

export const configSchema = z
  .object({
    ...serviceConfig,
    ...bearerConfig,
    ...calleeConfig,
    ...databaseConfig,
    ...messagingConfig,
    CONSUMER_GROUP: z.enum(groupNames),
    /** Without it messages to customers are stored but not sent. */
    SMTP_URL: z
      .url({ protocol: /^smtps?$/, error: 'must be smtp://host:port or smtps://user:password@host' })
      .optional(),
    SMTP_FROM: z.string().max(320).default('Store <no-reply@store.invalid>'),
    /** Events contain no e-mail address: a customer's is <customer id>@<domain>, which a mail server can map. */
    NOTIFICATION_DOMAIN: z.hostname().default('customers.invalid'),
    /** For invoice-group. */
    ORDER_URL: serviceUrl.optional(),
    /** Name and address on invoices, a line each. */
    SELLER: text(1, 1_000).default('Store'),
  })
  .superRefine(requireBearerKeys, reportTogether)
  .superRefine(({ CONSUMER_GROUP, ORDER_URL }, context) => {
    if (CONSUMER_GROUP !== 'invoice-group' || ORDER_URL !== undefined) return;
    context.addIssue({ code: 'custom', path: ['ORDER_URL'], message: 'must be set for invoice-group' });
  }, reportTogether);

export type ConsumersConfig = z.output<typeof configSchema>;
