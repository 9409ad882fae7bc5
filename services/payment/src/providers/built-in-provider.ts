import { found } from '@store/shared/values/errors';
import { type Decimal, fromMinorUnits, type Money, toMinorUnits } from '@store/shared/values/money';
import type { Intent, IntentInput, PaymentProvider } from './provider.ts';

interface Dependencies {
  declineAbove: Decimal;
  /** Finds what an order is charged. */
  findTotal(orderId: string): Promise<Money | undefined>;
}

/**
 * Moves no money. Declines totals above a limit so that compensation can be observed (contract 6.1). Its answer depends on the order
 * alone, so it keeps nothing: an intent is `unconfirmed` whenever it is read, and confirming it again gives the same answer.
 */
export function createBuiltInProvider({ declineAbove, findTotal }: Dependencies): PaymentProvider {
  const intentOf = (input: IntentInput, rest: Pick<Intent, 'state' | 'reason'>): Intent => ({
    ...input,
    ...rest,
    id: input.orderId,
    refunds: [],
    disputes: [],
  });

  async function read(orderId: string): Promise<Intent> {
    const total = found(await findTotal(orderId), `payment of order ${orderId}`);
    return intentOf({ orderId, amount: toMinorUnits(total), currency: total.currency }, { state: 'unconfirmed' });
  }

  return {
    name: 'built-in',
    needsToken: false,
    intentIdOf: (orderId) => orderId,
    async confirm({ orderId, amount, currency }) {
      const order = { orderId, amount, currency };
      if (!fromMinorUnits(amount, currency).amount.greaterThan(declineAbove)) {
        return intentOf(order, { state: 'captured' });
      }
      return intentOf(order, { state: 'declined', reason: `the total is above ${declineAbove.toFixed()}` });
    },
    cancel: async (orderId) => ({ ...(await read(orderId)), state: 'cancelled' }),
    read,
    refund: async ({ stepId, amount }) => ({ id: stepId, stepId, amount, state: 'succeeded' }),
    changesSince: async () => ({ changes: [], cursor: '' }),
    transactions: async () => ({ transactions: [] }),
  };
}
