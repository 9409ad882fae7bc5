import type { Decimal } from '@store/shared/values/money';
import type { PaymentRepository } from '../payment-repository.ts';
import { createBuiltInProvider } from './built-in-provider.ts';
import type { PaymentProvider } from './provider.ts';

interface Dependencies {
  config: { PAYMENT_DECLINE_ABOVE: Decimal };
  payments: Pick<PaymentRepository, 'findTotal'>;
}

/** Makes the providers by their names, which are values of PAYMENT_PROVIDER. */
export const providers = {
  'built-in': ({ config, payments: { findTotal } }) =>
    createBuiltInProvider({ declineAbove: config.PAYMENT_DECLINE_ABOVE, findTotal }),
} satisfies Record<string, (dependencies: Dependencies) => PaymentProvider>;
