import type { Decimal } from '@store/shared/values/money';
import type { BuiltInActions } from '../built-in-action-repository.ts';
import type { PaymentRepository } from '../payment-repository.ts';
import { createBuiltInProvider } from './built-in-provider.ts';
import type { PaymentProvider } from './provider.ts';
import { createStripeProvider } from './stripe-provider.ts';

interface Dependencies {
  config: {
    PAYMENT_DECLINE_ABOVE: Decimal;
    STORE_URL: string;
    STRIPE_SECRET_KEY?: string | undefined;
    STRIPE_WEBHOOK_SECRET?: string | undefined;
    STRIPE_URL: string;
  };
  payments: Pick<PaymentRepository, 'findTotal'>;
  actions: BuiltInActions;
}

/** Makes the providers by their names, which are values of PAYMENT_PROVIDER; undefined without its keys. */
const makers = {
  'built-in': ({ config: { PAYMENT_DECLINE_ABOVE: declineAbove, STORE_URL }, payments: { findTotal }, actions }) => {
    const actionUrlOf = (orderId: string) => `${STORE_URL}/payments/${orderId}/action`;
    return createBuiltInProvider({ declineAbove, findTotal, actions, actionUrlOf });
  },
  stripe: ({ config: { STRIPE_SECRET_KEY: secretKey, STRIPE_WEBHOOK_SECRET: webhookSecret, STRIPE_URL: url } }) =>
    secretKey && webhookSecret ? createStripeProvider({ secretKey, webhookSecret, url }) : undefined,
} satisfies Record<string, (dependencies: Dependencies) => PaymentProvider | undefined>;

export type ProviderName = keyof typeof makers;
export const providerNames = Object.keys(makers) as ProviderName[];

/**
 * Makes a function that finds a provider by the name that is stored with a payment.
 * @throws Error if the provider has no keys, or is of a later release
 */
export function createProviders(dependencies: Dependencies): (name: string) => PaymentProvider {
  const made = new Map<string, PaymentProvider | undefined>(
    Object.entries(makers).map(([name, make]) => [name, make(dependencies)]),
  );
  return (name) => {
    const provider = made.get(name);
    if (provider === undefined) throw new Error(`The payment provider ${name} is not configured`);
    return provider;
  };
}
