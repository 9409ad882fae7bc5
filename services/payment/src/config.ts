import { bearerConfig, calleeConfig, callerConfig, requireAllCredentials } from '@store/shared/auth/config';
import { databaseConfig } from '@store/shared/database/config';
import { messagingConfig } from '@store/shared/messaging/config';
import { configOf } from '@store/shared/service/config';
import { reportTogether, serviceUrl } from '@store/shared/values/environment';
import { Decimal } from '@store/shared/values/money';
import { z } from 'zod';
import { providerNames } from './providers/providers.ts';

export const configSchema = configOf({
  ...bearerConfig,
  ...calleeConfig,
  ...callerConfig,
  ...databaseConfig,
  ...messagingConfig,
  ORDER_URL: serviceUrl.describe('Address of order'),
  PAYMENT_PROVIDER: z
    .enum(providerNames)
    .default('built-in')
    .describe('Who takes the money: built-in, which moves none, or stripe'),
  PAYMENT_DECLINE_ABOVE: z
    .string()
    .regex(/^\d{1,24}(\.\d{1,4})?$/, 'must be an amount such as 100000 or 99.95')
    .transform((value) => new Decimal(value))
    .prefault('100000')
    .describe('Total above which the built-in provider declines, in any currency'),
  STRIPE_SECRET_KEY: z
    .string()
    .regex(/^(sk|rk)_\w{8,250}$/, 'must be a secret key (sk_…) or a restricted key (rk_…) of Stripe')
    .optional()
    .describe('Secret key of Stripe; PAYMENT_PROVIDER=stripe needs it'),
  STRIPE_WEBHOOK_SECRET: z
    .string()
    .regex(/^whsec_\S{8,250}$/, 'must be the signing secret (whsec_…) of a webhook endpoint of Stripe')
    .optional()
    .describe('Signing secret of the webhook endpoint at Stripe; PAYMENT_PROVIDER=stripe needs it'),
  STRIPE_URL: serviceUrl.default('https://api.stripe.com').describe("Address of Stripe's API"),
  STORE_URL: serviceUrl
    .default('http://localhost:8080')
    .describe(
      "Address of the gateway for browsers, where customers approve what they pay with the built-in provider's test card",
    ),
  SHOP_URL: serviceUrl
    .default('http://localhost:3000')
    .describe('Address of the shop, to which customers return from a page of the provider'),
})
  .apply(requireAllCredentials)
  .apply(requireKeysOfStripe);

/** Without the signing secret every callback would be forged. */
function requireKeysOfStripe<Schema extends z.ZodObject>(schema: Schema): Schema {
  return schema.superRefine((config: Record<string, unknown>, context) => {
    if (config.PAYMENT_PROVIDER !== 'stripe') return;
    for (const name of ['STRIPE_SECRET_KEY', 'STRIPE_WEBHOOK_SECRET']) {
      if (config[name] === undefined)
        context.addIssue({ code: 'custom', path: [name], message: 'must be set, because PAYMENT_PROVIDER is stripe' });
    }
  }, reportTogether);
}

export type PaymentConfig = z.output<typeof configSchema>;
