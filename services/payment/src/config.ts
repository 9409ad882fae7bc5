import { commonConfig, consumerConfig, databaseUrl } from '@store/shared/service/config';
import { Decimal } from '@store/shared/values/money';
import { z } from 'zod';

export const configSchema = z.object({
  ...commonConfig,
  ...consumerConfig,
  DATABASE_URL: databaseUrl,
  /** The built-in provider refuses totals above this, whatever their currency. */
  PAYMENT_DECLINE_ABOVE: z
    .string()
    .regex(/^\d{1,24}(\.\d{1,4})?$/, 'must be an amount such as 100000 or 99.95')
    .transform((value) => new Decimal(value))
    .prefault('100000'),
});
