import { readdirSync } from 'node:fs';
import { bearerConfig, calleeConfig, callerConfig, requireBearerKeys } from '@store/shared/auth/config';
import { databaseConfig } from '@store/shared/database/config';
import { messagingConfig } from '@store/shared/messaging/config';
import { serviceConfig } from '@store/shared/service/config';
import { reportTogether, serviceUrl } from '@store/shared/values/environment';
import { text } from '@store/shared/values/fields';
import { z } from 'zod';

/** Each folder of groups/ is a consumer group, `<folder>-group` (contract 6.8). */
const groupNames = readdirSync(new URL('groups', import.meta.url)).map((name) => `${name}-group`);

/** The service that a group calls. */
const calls = { 'invoice-group': 'ORDER_URL', 'notification-group': 'ACCOUNT_URL' } as const;

export const configSchema = z
  .object({
    ...serviceConfig,
    ...bearerConfig,
    ...callerConfig,
    ...calleeConfig,
    ...databaseConfig,
    ...messagingConfig,
    CONSUMER_GROUP: z.enum(groupNames),
    /** Without it messages to customers are stored but not sent. */
    SMTP_URL: z
      .url({ protocol: /^smtps?$/, error: 'must be smtp://host:port or smtps://user:password@host' })
      .optional(),
    /** From whom mails are. */
    MAIL_FROM: z.string().max(320).default('Store <no-reply@store.invalid>'),
    /** Where the shop is, to which the links in mails lead. */
    SHOP_URL: serviceUrl.default('http://localhost:3000'),
    /** For notification-group: events have no addresses. */
    ACCOUNT_URL: serviceUrl.optional(),
    /** For invoice-group. */
    ORDER_URL: serviceUrl.optional(),
    /** Name and address on invoices, a line each. */
    SELLER: text(1, 1_000).default('Store'),
  })
  .superRefine(requireBearerKeys, reportTogether)
  .superRefine((config, context) => {
    for (const [group, variable] of Object.entries(calls)) {
      if (config.CONSUMER_GROUP !== group || config[variable] !== undefined) continue;
      context.addIssue({ code: 'custom', path: [variable], message: `must be set for ${group}` });
    }
  }, reportTogether);

export type ConsumersConfig = z.output<typeof configSchema>;
