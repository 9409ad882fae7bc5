import {
  bearerConfig,
  calleeConfig,
  callerConfig,
  operatorConfig,
  requireAllCredentials,
  requireBearerKeys,
} from '@store/shared/auth/config';
import { databaseConfig } from '@store/shared/database/config';
import { messagingConfig } from '@store/shared/messaging/config';
import { serviceConfig } from '@store/shared/service/config';
import { reportTogether, seconds, serviceUrl } from '@store/shared/values/environment';
import { wholeNumber } from '@store/shared/values/fields';
import { z } from 'zod';

export const configSchema = z
  .object({
    ...serviceConfig,
    ...bearerConfig,
    ...calleeConfig,
    ...operatorConfig,
    ...callerConfig,
    ...databaseConfig,
    AUTH_URL: serviceUrl,
    PRODUCT_URL: serviceUrl,
    /** ISO 4217: the currency of all prices. */
    STORE_CURRENCY: z
      .enum(Intl.supportedValuesOf('currency') as [string, ...string[]], { error: 'must be a currency such as USD' })
      .default('USD'),
    /** required: only customers with a confirmed e-mail address may order. */
    EMAIL_CONFIRMATION: z.enum(['off', 'required']).default('off'),
    /** Open streams of order events, in a process; 0: any number. */
    STREAMS_PER_ADDRESS: wholeNumber(0, 5_000).default(0),
  })
  .apply(requireAllCredentials)
  .superRefine(requireBearerKeys, reportTogether);

export const workerConfigSchema = z.object({
  ...serviceConfig,
  ...calleeConfig,
  ...databaseConfig,
  ...messagingConfig,
  /** From payment to shipment. */
  SHIP_AFTER_SECONDS: seconds(0, 31_536_000).default(60),
  /** How long an order may be PENDING. */
  PENDING_TIMEOUT_SECONDS: seconds(1, 31_536_000).default(900),
});

export type OrderConfig = z.output<typeof configSchema>;
export type WorkerConfig = z.output<typeof workerConfigSchema>;
