import { found, unreachable } from '@store/shared/values/errors';
import { type Decimal, fromMinorUnits, type Money, toMinorUnits } from '@store/shared/values/money';
import type { BuiltInActions } from '../built-in-action-repository.ts';
import type { Intent, IntentInput, PaymentProvider } from './provider.ts';

interface Dependencies {
  declineAbove: Decimal;
  /** Finds what an order is charged. */
  findTotal(orderId: string): Promise<Money | undefined>;
  actions: Pick<BuiltInActions, 'begin' | 'find' | 'cancel'>;
  /** Where the customer of an order carries out its action. */
  actionUrlOf(orderId: string): string;
}

/** What customers may pay with, to try out what may happen. An order without a token is paid. */
export const testCards = { ok: 'card-ok', declined: 'card-declined', action: 'card-action' } as const;

/**
 * Moves no money. Declines totals above a limit so that compensation can be observed (contract 6.1). Its answer depends on the order
 * alone, so it keeps nothing: an intent is `unconfirmed` whenever it is read, and confirming it again gives the same answer. Only the
 * test card that needs an action has a state.
 */
export function createBuiltInProvider({
  declineAbove,
  findTotal,
  actions,
  actionUrlOf,
}: Dependencies): PaymentProvider {
  const intentOf = (input: IntentInput, rest: Pick<Intent, 'state' | 'reason' | 'actionUrl'>): Intent => ({
    ...input,
    ...rest,
    id: input.orderId,
    refunds: [],
    disputes: [],
  });

  async function orderOf(orderId: string): Promise<IntentInput> {
    const total = found(await findTotal(orderId), `payment of order ${orderId}`);
    return { orderId, amount: toMinorUnits(total), currency: total.currency };
  }

  function afterAction(order: IntentInput, state: NonNullable<Awaited<ReturnType<BuiltInActions['find']>>>): Intent {
    switch (state) {
      case 'WAITING':
        return intentOf(order, { state: 'action', actionUrl: actionUrlOf(order.orderId) });
      case 'APPROVED':
        return intentOf(order, { state: 'captured' });
      case 'DECLINED':
        return intentOf(order, { state: 'declined', reason: 'the customer declined the payment' });
      case 'CANCELLED':
        return intentOf(order, { state: 'cancelled' });
      default:
        return unreachable(state);
    }
  }

  async function read(orderId: string): Promise<Intent> {
    const [order, state] = [await orderOf(orderId), await actions.find(orderId)];
    return state === undefined ? intentOf(order, { state: 'unconfirmed' }) : afterAction(order, state);
  }

  return {
    name: 'built-in',
    needsToken: false,
    intentIdOf: (orderId) => orderId,
    async confirm({ orderId, amount, currency, token = testCards.ok }) {
      const order = { orderId, amount, currency };
      if (fromMinorUnits(amount, currency).amount.greaterThan(declineAbove)) {
        return intentOf(order, { state: 'declined', reason: `the total is above ${declineAbove.toFixed()}` });
      }
      switch (token) {
        case testCards.ok:
          return intentOf(order, { state: 'captured' });
        case testCards.action:
          return afterAction(order, await actions.begin(orderId));
        case testCards.declined:
          return intentOf(order, { state: 'declined', reason: 'the card was declined' });
        default:
          return intentOf(order, { state: 'declined', reason: 'the card is unknown' });
      }
    },
    async cancel(orderId) {
      await actions.cancel(orderId);
      const intent = await read(orderId);
      return intent.state === 'captured' ? intent : { ...intent, state: 'cancelled' };
    },
    read,
    refund: async ({ stepId, amount }) => ({ id: stepId, stepId, amount, state: 'succeeded' }),
    changesSince: async () => ({ changes: [], cursor: '' }),
  };
}
