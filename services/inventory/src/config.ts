import { bearerConfig, calleeConfig, callerConfig, requireAllCredentials } from '@store/shared/auth/config';
import { databaseConfig } from '@store/shared/database/config';
import { messagingConfig } from '@store/shared/messaging/config';
import { configOf } from '@store/shared/service/config';
import { serviceUrl } from '@store/shared/values/environment';
import { wholeNumber } from '@store/shared/values/fields';
import type { z } from 'zod';
import { maxAvailable } from './schemas.ts';

export const configSchema = configOf({
  ...bearerConfig,
  ...calleeConfig,
  ...databaseConfig,
  ...messagingConfig,
  ...callerConfig,
  ORDER_URL: serviceUrl.describe('Address of order'),
  PRODUCT_URL: serviceUrl.describe('Address of product'),
  INITIAL_STOCK: wholeNumber(0, maxAvailable)
    .default(1_000)
    .describe('Pieces of a product that is ordered for the first time, 0 to 1,000,000,000'),
  STOCK_PERCENT_PER_ACCOUNT: wholeNumber(0, 100)
    .default(0)
    .describe(
      "Percentage of a product's stock that an account's orders of one hour may take, 1 to 100, but at least ten pieces; 0: no limit",
    ),
}).apply(requireAllCredentials);

export type InventoryConfig = z.output<typeof configSchema>;
