import { cents, type History, itemsText } from '../history/_history.ts';
import { type OrderAction, shownOf } from '../history/_order-model.ts';
import type { RecordedState } from './_recorded-state.ts';

type Event = RecordedState['outboxes'][number]['events'][number];

/**
 * The history, plus what the store did by itself: its events, each between the times at which it was written and marked as
 * sent, and the final state of every order. All processes of a run share one clock.
 */
export function withRecorded(seen: History, state: RecordedState): History {
  const history = { keys: seen.keys, orders: [...seen.orders], stock: [...seen.stock] };
  const invented = inventedOrders(state);
  for (const { publisher, events } of state.outboxes) {
    for (const event of events) if (!invented.has(event.key)) addEvent(history, state, publisher, event);
  }
  addEnds(history, state);
  return history;
}

/** Orders that exist only in the test's own messages (_poison.ts). */
function inventedOrders({ topic, orders }: RecordedState): Set<string> {
  const ids = topic.flatMap(({ poison, value = '' }) => (poison && /"orderId":"([^"]+)"/.exec(value)?.[1]) ?? []);
  const recorded = new Set(orders.map(({ id }) => id));
  return new Set(ids.filter((id) => !recorded.has(id)));
}

/** An outbox has the events of an order, and those of a product's stock, in sequence, because both are written under a lock. */
function addEvent({ orders, stock }: History, state: RecordedState, sequence: string, event: Event): void {
  const { key, kind, payload, writtenAt: invokedAt, sentAt: respondedAt } = event;
  const { items, total, amount } = JSON.parse(payload);
  const money = total ?? amount;
  const action: OrderAction = {
    kind: 'event',
    event: kind,
    ...(money && { amount: cents(money.amount) }),
    ...(items && { items: itemsText(items) }),
  };
  const known = { invokedAt, respondedAt, sequence };
  orders.push([key, { action, ...known }]);

  const ordered = state.orders.find(({ id }) => id === key)?.items ?? [];
  for (const { productId, quantity: pieces } of ordered) {
    if (kind === 'StockReserved') stock.push([productId, { action: { kind: 'reserve', pieces }, ...known }]);
    if (kind === 'StockReleased') stock.push([productId, { action: { kind: 'release', pieces }, ...known }]);
    if (kind !== 'StockRejected') continue;
    const lacking = items.find((item: { productId: string }) => item.productId === productId)?.quantity ?? 0;
    stock.push([productId, { action: { kind: 'reject', pieces, lacking }, ...known }]);
  }
}

/** Also covers recorded orders that no client placed, and placed orders that are not recorded. */
function addEnds({ orders, stock }: History, state: RecordedState): void {
  const { orders: recorded, payments, invoices } = state;
  const atTheEnd = { invokedAt: state.readAt, respondedAt: state.readAt };
  for (const { productId, available } of state.stock) {
    stock.push([productId, { action: { kind: 'read', pieces: available }, ...atTheEnd }]);
  }
  const byId = new Map(recorded.map((order) => [order.id, order]));
  for (const id of new Set([...byId.keys(), ...orders.map(([id]) => id)])) {
    const order = byId.get(id);
    const payment = payments.find(({ orderId }) => orderId === id);
    const own = invoices.filter(({ orderId }) => orderId === id);
    const action: OrderAction = {
      kind: 'settle',
      shown: order ? shownOf(order) : 'impossible: not recorded',
      payment: payment?.status ?? 'none',
      amount: payment?.amount ? cents(payment.amount) : null,
      invoices: own.map(({ amount }) => cents(amount)),
    };
    orders.push([id, { action, ...atTheEnd }]);
  }
}
