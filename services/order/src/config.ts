import {
  atOnce,
  bearerConfig,
  commonConfig,
  consumerConfig,
  databaseUrl,
  needsBearerKeys,
  serviceUrl,
} from '@store/shared/service/config';
import { z } from 'zod';

export const configSchema = z
  .object({
    ...commonConfig,
    ...bearerConfig,
    DATABASE_URL: databaseUrl,
    PRODUCT_URL: serviceUrl,
    /** ISO 4217: the currency of all prices. */
    STORE_CURRENCY: z
      .enum(Intl.supportedValuesOf('currency') as [string, ...string[]], { error: 'must be a currency such as USD' })
      .default('USD'),
  })
  .superRefine(needsBearerKeys, atOnce);

export const workerConfigSchema = z.object({
  ...commonConfig,
  ...consumerConfig,
  DATABASE_URL: databaseUrl,
});
