import {
  bearerConfig,
  calleeConfig,
  callerConfig,
  mailerConfig,
  operatorConfig,
  requireAllCredentials,
} from '@store/shared/auth/config';
import { databaseConfig } from '@store/shared/database/config';
import { messagingConfig } from '@store/shared/messaging/config';
import { configOf } from '@store/shared/service/config';
import { currencies } from '@store/shared/values/currencies';
import { flag, serviceUrl } from '@store/shared/values/environment';
import { wholeNumber } from '@store/shared/values/fields';
import { z } from 'zod';

export const configSchema = configOf({
  ...bearerConfig,
  ...calleeConfig,
  ...operatorConfig,
  ...mailerConfig,
  ...callerConfig,
  ...databaseConfig,
  AUTH_URL: serviceUrl.describe('Address of auth'),
  PRODUCT_URL: serviceUrl.describe('Address of product'),
  STORE_CURRENCY: z
    .enum(currencies, { error: 'must be a currency that ISO 4217 lists today, such as USD' })
    .default('USD')
    .describe('Currency of all prices, as an ISO 4217 code'),
  STORE_TAX_PERMILLE: wholeNumber(0, 1_000)
    .default(0)
    .describe(
      'Rate of the tax that prices include, in per mille, 0 to 1000, for products without their own; 230 is 23 %',
    ),
  EMAIL_CONFIRMATION: z
    .enum(['off', 'required'])
    .default('off')
    .describe('required: orders are refused until the e-mail address is confirmed (docs/contract.md, 3.11)'),
  CANCELLATIONS_PER_HOUR: wholeNumber(0, 1_000_000)
    .default(0)
    .describe('Orders placed within an hour that an account may cancel before it can place no more; 0: no limit'),
  PAYMENT_TOKEN_REQUIRED: flag
    .default(false)
    .describe('true: orders without a token are refused, because the provider of payments needs one'),
  STREAMS_PER_ADDRESS: wholeNumber(0, 5_000)
    .default(0)
    .describe('Open streams per client address in a process, 0 to 5000; 0: no limit'),
}).apply(requireAllCredentials);

export const workerConfigSchema = configOf({
  ...calleeConfig,
  ...databaseConfig,
  ...messagingConfig,
  SHIP_AFTER_SECONDS: z
    .union([z.literal('never'), wholeNumber(0, 31_536_000)], {
      error: 'must be never, or a whole number of seconds, 0 to 31,536,000',
    })
    .default(60)
    .describe(
      'Time from payment to shipment, 0 to 31,536,000, which jobs look for every 1 to 5 s; never: only people ship (docs/contract.md, 4.20)',
    ),
  PENDING_TIMEOUT_SECONDS: wholeNumber(1, 31_536_000)
    .default(900)
    .describe('Time for which an order may be PENDING, 1 to 31,536,000'),
});

export type OrderConfig = z.output<typeof configSchema>;
export type WorkerConfig = z.output<typeof workerConfigSchema>;
