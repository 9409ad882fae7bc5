import type { Decimal } from '@store/shared/values/money';
import { nameUuid } from '@store/shared/values/name-uuid';
import type { PaymentProvider } from './provider.ts';

/**
 * Moves no money. Declines totals above a limit so that compensation can be observed (contract 6.1). Stateless: its
 * answer depends on the order alone.
 */
export function createBuiltInProvider(declineAbove: Decimal): PaymentProvider {
  return {
    async charge({ orderId, amount: { amount } }) {
      if (amount.greaterThan(declineAbove)) {
        return { ok: false, reason: `the total is above ${declineAbove.toFixed()}` };
      }
      return { ok: true, paymentId: nameUuid(`payment of order ${orderId}`) };
    },
    async refund() {},
  };
}
