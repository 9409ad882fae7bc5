import { readdirSync } from 'node:fs';
import { bearerConfig, calleeConfig, callerConfig } from '@store/shared/auth/config';
import { databaseConfig } from '@store/shared/database/config';
import { messagingConfig } from '@store/shared/messaging/config';
import { configOf } from '@store/shared/service/config';
import { list, reportTogether, serviceUrl } from '@store/shared/values/environment';
import { text, wholeNumber } from '@store/shared/values/fields';
import { z } from 'zod';

/** Each folder of groups/ is a consumer group, `<folder>-group` (contract 6.8). */
const groupNames = readdirSync(new URL('groups', import.meta.url)).map((name) => `${name}-group`);

/** The address that a group needs. */
const calls = {
  'invoice-group': ['ORDER_URL'],
  'notification-group': ['ACCOUNT_URL'],
  'webhook-group': ['ORDER_URL', 'WEBHOOK_KEYS'],
} as const;

const sealingKey = z
  .base64url({ error: 'must be base64 or base64url' })
  .or(z.base64({ error: 'must be base64 or base64url' }))
  .transform((text) => Buffer.from(text, 'base64'))
  .refine((key) => key.length >= 32, 'must be at least 32 bytes');
const portNumber = wholeNumber(1, 65_535);

export const configSchema = configOf({
  ...bearerConfig,
  ...callerConfig,
  ...calleeConfig,
  ...databaseConfig,
  ...messagingConfig,
  CONSUMER_GROUP: z.enum(groupNames).describe('Consumer group that the process runs, such as invoice-group'),
  SMTP_URL: z
    .url({ protocol: /^smtps?$/, error: 'must be smtp://host:port or smtps://user:password@host' })
    .optional()
    .describe('Mail server; without it messages are stored but not sent, and the console shows them in profile dev'),
  MAIL_FROM: z.string().max(320).default('Store <no-reply@store.invalid>').describe('Sender of mails'),
  MAILS_PER_HOUR: wholeNumber(0, 1_000)
    .default(12)
    .describe('Mails about orders to a mailbox per hour, 0 to 1000; further messages become one digest; 0: no limit'),
  SHOP_URL: serviceUrl.default('http://localhost:3000').describe('Address of the shop, for links in mails'),
  ACCOUNT_URL: serviceUrl.optional().describe('Address of account; required for notification-group'),
  AUTH_URL: serviceUrl
    .optional()
    .describe(
      'Address of auth, for notification-group; without it nobody gets a mail about the ended webhook of a service account',
    ),
  ORDER_URL: serviceUrl
    .optional()
    .describe(
      'Address of order; required for invoice-group, and for notification-group to mail carrier and tracking number',
    ),
  SELLER: text(1, 1_000)
    .default('Store')
    .describe('Name and address on invoices and credit notes, in lines, at most 1000 characters'),
  SELLER_TAX_NUMBER: text(1, 100)
    .optional()
    .describe(
      "The seller's tax number on invoices and credit notes, at most 100 characters; without it they show none",
    ),
  WEBHOOK_KEYS: list
    .pipe(z.tuple([sealingKey], sealingKey))
    .optional()
    .describe(
      'Keys, base64 of at least 32 bytes, that seal the secrets of webhooks, comma-separated: the first seals, all open; required for webhook-group',
    ),
  WEBHOOK_PORTS: list
    .pipe(z.array(portNumber).nonempty())
    .prefault('443')
    .describe('Ports that webhooks may have in profile prod, comma-separated'),
  WEBHOOK_OWN_RANGES: list
    .pipe(z.array(z.union([z.cidrv4(), z.cidrv6()], { error: 'must be a CIDR, such as 203.0.113.0/24' })))
    .prefault('')
    .describe(
      'Public address ranges of your own network that webhooks must not reach in profile prod, comma-separated CIDRs',
    ),
  WEBHOOK_PROXY: serviceUrl
    .optional()
    .describe('Proxy that deliveries of webhooks go through; it decides which addresses can be reached'),
}).superRefine((config, context) => {
  for (const [group, variables] of Object.entries(calls)) {
    if (config.CONSUMER_GROUP !== group) continue;
    for (const variable of variables)
      if (config[variable] === undefined)
        context.addIssue({ code: 'custom', path: [variable], message: `must be set for ${group}` });
  }
}, reportTogether);

export type ConsumersConfig = z.output<typeof configSchema>;
