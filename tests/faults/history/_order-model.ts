import type { EventKind } from '@store/shared/messaging/events';
import type { Model } from './_linearizability.ts';

/** The visible state of an order. CANCELLED PAID is a separate state, because it can follow both CONFIRMED and CANCELLED. */
export type Shown = 'PENDING' | 'CONFIRMED' | 'SHIPPED' | 'CANCELLED' | 'CANCELLED PAID' | `impossible: ${string}`;

/** Amounts are in cents, items as text. */
export type OrderAction =
  | { kind: 'place'; total: number; items: string }
  | { kind: 'event'; event: EventKind; amount?: number; items?: string }
  | { kind: 'read'; shown: Shown; total: number; isListed?: boolean }
  /** A cancellation succeeded. `isFirst` if the response says that it was the first (contract 4.6). */
  | { kind: 'cancel'; isFirst?: boolean }
  /** A cancellation was refused with 409. */
  | { kind: 'refuse' }
  | { kind: 'delete' }
  /** The response was 404. */
  | { kind: 'miss' }
  /** The content of the databases once nothing is in flight. */
  | { kind: 'settle'; shown: Shown; payment: string; amount: number | null; invoices: number[] };

interface OrderState {
  total: number;
  items: string;
  events: EventKind[];
  shown: Shown;
  isDeleted: boolean;
  /** True if a response claimed to be the first cancellation. */
  isClaimed: boolean;
}

type Event = OrderAction & { kind: 'event' };

/** When each event can happen (contract 6.1, 6.3). Each happens at most once, so a payment is taken and refunded at most once. */
const rules: Record<EventKind, (has: (kind: EventKind) => boolean, event: Event, order: OrderState) => boolean> = {
  OrderCreated: (_has, { items, amount }, order) => items === order.items && amount === order.total,
  StockReserved: (has, { items, amount }, order) =>
    has('OrderCreated') && !has('StockRejected') && items === order.items && amount === order.total,
  StockRejected: (has) => has('OrderCreated') && !has('StockReserved'),
  OrderPaid: (has, { amount }, order) => has('StockReserved') && !has('PaymentFailed') && amount === order.total,
  PaymentFailed: (has) => has('StockReserved') && !has('OrderPaid'),
  StockReleased: (has, { items }, order) =>
    has('StockReserved') && (has('PaymentFailed') || has('OrderCancelled')) && items === order.items,
  OrderCancelled: (has) => has('OrderCreated') && !has('OrderShipped'),
  PaymentRefunded: (has, { amount }, order) => has('OrderPaid') && has('OrderCancelled') && amount === order.total,
  // These tests refund no part of a payment, and the built-in provider has no disputes.
  RefundIssued: () => false,
  PaymentDisputed: () => false,
  OrderShipped: (has) => has('OrderPaid') && !has('OrderCancelled'),
  InvoiceIssued: (has, { amount }, order) => has('OrderPaid') && amount === order.total,
  CreditNoteIssued: (has, { amount }, order) =>
    has('PaymentRefunded') && has('InvoiceIssued') && amount === order.total,
};

/**
 * The life of an order. Events are facts of the saga. The shown order follows them, late but never backwards.
 * An order without `place` cannot have events, because no client asked for it.
 */
export const orderModel: Model<OrderState | null, OrderAction> = {
  initial: null,
  next(order, action) {
    if (order === null) return action.kind === 'place' ? [placed(action)] : action.kind === 'miss' ? [order] : [];
    const showing = (isExpected: (shown: Shown) => boolean): OrderState[] =>
      reachable(order)
        .filter(isExpected)
        .map((shown) => ({ ...order, shown }));

    switch (action.kind) {
      case 'place':
        return [];
      case 'event':
        return happened(order, action);
      case 'read':
        if ((order.isDeleted && !action.isListed) || action.total !== order.total) return [];
        return showing((shown) => shown === action.shown);
      case 'cancel': {
        const { isFirst = false } = action;
        if (isFirst && (order.isClaimed || !order.events.includes('OrderCancelled'))) return [];
        return showing(isCancelled).map((after) => ({ ...after, isClaimed: order.isClaimed || isFirst }));
      }
      case 'refuse':
        return showing((shown) => shown === 'SHIPPED');
      case 'delete':
        return showing(isFinal).map((after) => ({ ...after, isDeleted: true }));
      case 'miss':
        return order.isDeleted ? [order] : [];
      case 'settle':
        return showing((shown) => isSettled({ ...order, shown }, action));
    }
  },
};

/** Returns the state that an order's fields represent. Contract 4.5 and 6.1 allow no other combinations. */
export function shownOf(order: {
  status: string;
  paidAt?: unknown;
  shippedAt?: unknown;
  cancelledAt?: unknown;
}): Shown {
  const { status, paidAt, shippedAt, cancelledAt } = order;
  const fields = [status, paidAt && 'paid', shippedAt && 'shipped', cancelledAt && 'cancelled']
    .filter(Boolean)
    .join(' ');
  const known: Record<string, Shown> = {
    PENDING: 'PENDING',
    'CONFIRMED paid': 'CONFIRMED',
    'CONFIRMED paid shipped': 'SHIPPED',
    'CANCELLED cancelled': 'CANCELLED',
    'CANCELLED paid cancelled': 'CANCELLED PAID',
  };
  return known[fields] ?? `impossible: ${fields}`;
}

const placed = ({ total, items }: OrderAction & { kind: 'place' }): OrderState => ({
  total,
  items,
  events: [],
  shown: 'PENDING',
  isDeleted: false,
  isClaimed: false,
});

const isCancelled = (shown: Shown) => shown === 'CANCELLED' || shown === 'CANCELLED PAID';
const isFinal = (shown: Shown) => shown === 'SHIPPED' || isCancelled(shown);

function happened(order: OrderState, action: Event): OrderState[] {
  const { event } = action;
  const has = (kind: EventKind) => order.events.includes(kind);
  if (has(event) || !rules[event](has, action, order)) return [];
  const after = { ...order, events: [...order.events, event].sort() };
  if (event !== 'OrderCancelled') return [after];
  // Written in the same transaction as the change that it announces.
  return reachable(order)
    .filter((shown) => !isFinal(shown))
    .map((shown) => ({ ...after, shown: shown === 'CONFIRMED' ? 'CANCELLED PAID' : 'CANCELLED' }));
}

/** States in which the order may be shown once the order service has handled some of the events. */
function reachable({ shown, events }: OrderState): Shown[] {
  const isPaid = events.includes('OrderPaid');
  const hasFailed = events.includes('StockRejected') || events.includes('StockReleased');
  const steps: [from: Shown, to: Shown, isCaused: boolean][] = [
    ['PENDING', 'CONFIRMED', isPaid],
    ['PENDING', 'CANCELLED', hasFailed],
    ['CONFIRMED', 'SHIPPED', events.includes('OrderShipped')],
    ['CANCELLED', 'CANCELLED PAID', isPaid],
  ];
  const found: Shown[] = [shown];
  for (const [from, to, isCaused] of steps) if (isCaused && found.includes(from)) found.push(to);
  return found;
}

/** Everything was completed or compensated, and the store kept exactly the money for what it shipped. */
function isSettled({ total, events, shown }: OrderState, end: OrderAction & { kind: 'settle' }): boolean {
  const has = (kind: EventKind) => events.includes(kind);
  const isPaid = has('OrderPaid');
  const isShipped = shown === 'SHIPPED';
  const payments = isShipped ? ['PAID'] : isPaid ? ['REFUNDED'] : ['none', 'CANCELLED', 'FAILED'];
  return (
    shown === end.shown &&
    isFinal(shown) &&
    isPaid === (isShipped || shown === 'CANCELLED PAID') &&
    (!has('StockReserved') || has('StockReleased') !== isShipped) &&
    (!isPaid || has('PaymentRefunded') !== isShipped) &&
    payments.includes(end.payment) &&
    (!isPaid || end.amount === total) &&
    end.invoices.join() === (isPaid ? String(total) : '')
  );
}
