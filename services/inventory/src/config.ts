import { commonConfig, consumerConfig, databaseUrl, seconds, serviceUrl } from '@store/shared/service/config';
import { wholeNumber } from '@store/shared/values/fields';
import { z } from 'zod';
import { maxAvailable } from './schemas.ts';

export const configSchema = z.object({
  ...commonConfig,
  ...consumerConfig,
  DATABASE_URL: databaseUrl,
  PRODUCT_URL: serviceUrl,
  /** Pieces of a product that is seen for the first time. */
  INITIAL_STOCK: wholeNumber(0, maxAvailable).default(1_000),
  /** From the payment to the shipment. */
  SHIP_AFTER_SECONDS: seconds(0, 31_536_000).default(60),
});
