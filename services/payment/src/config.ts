import { bearerConfig, calleeConfig, callerConfig, requireAllCredentials } from '@store/shared/auth/config';
import { databaseConfig } from '@store/shared/database/config';
import { messagingConfig } from '@store/shared/messaging/config';
import { configOf } from '@store/shared/service/config';
import { serviceUrl } from '@store/shared/values/environment';
import { Decimal } from '@store/shared/values/money';
import { z } from 'zod';

export const configSchema = configOf({
  ...bearerConfig,
  ...calleeConfig,
  ...callerConfig,
  ...databaseConfig,
  ...messagingConfig,
  ORDER_URL: serviceUrl.describe('Address of order'),
  PAYMENT_DECLINE_ABOVE: z
    .string()
    .regex(/^\d{1,24}(\.\d{1,4})?$/, 'must be an amount such as 100000 or 99.95')
    .transform((value) => new Decimal(value))
    .prefault('100000')
    .describe('Total above which the built-in provider declines, in any currency'),
}).apply(requireAllCredentials);

export type PaymentConfig = z.output<typeof configSchema>;
