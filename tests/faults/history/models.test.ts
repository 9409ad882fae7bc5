import type { EventKind } from '@store/shared/messaging/events';
import { checkHistory } from './_check.ts';
import type { Placement } from './_key-model.ts';
import type { Operation } from './_linearizability.ts';
import type { OrderAction, Shown } from './_order-model.ts';
import type { StockAction } from './_stock-model.ts';

/** Sequential operations of 10 ms each. */
const inTurn = <Action>(...actions: Action[]): Operation<Action>[] =>
  actions.map((action, index) => ({ action, invokedAt: 10 * index, respondedAt: 10 * index + 9 }));

/** An operation at another time, or with an unknown outcome. */
const at = <Action>(action: Action, invokedAt: number, respondedAt = Number.POSITIVE_INFINITY) => ({
  action,
  invokedAt,
  respondedAt,
});

interface Objects {
  keys?: Operation<Placement>[];
  orders?: Operation<OrderAction>[];
  stock?: Operation<StockAction>[];
}
function violations({ keys = [], orders = [], stock = [] }: Objects): string[] {
  const observed = <T>(object: string, operations: T[]) => operations.map((one): [string, T] => [object, one]);
  return checkHistory({ keys: observed('k', keys), orders: observed('o', orders), stock: observed('p', stock) }, 10);
}

/** Expects that only the last action makes the history impossible. */
function expectLastWrong(orders: OrderAction[]): void {
  expect(violations({ orders: inTurn(...orders.slice(0, -1)) })).toEqual([]);
  expect(violations({ orders: inTurn(...orders) })).toEqual([expect.stringContaining('order o')]);
}

const [items, total] = ['1 of tea', 450];
const event = (kind: EventKind, more: object = {}): OrderAction => ({ kind: 'event', event: kind, ...more });
const place: OrderAction = { kind: 'place', total, items };
const created = event('OrderCreated', { items, amount: total });
const reserved = event('StockReserved', { items, amount: total });
const rejected = event('StockRejected', { items });
const paid = event('OrderPaid', { amount: total });
const failed = event('PaymentFailed');
const released = event('StockReleased', { items });
const cancelled = event('OrderCancelled');
const refunded = event('PaymentRefunded', { amount: total });
const shipped = event('OrderShipped');
const cancel: OrderAction = { kind: 'cancel' };
const firstCancel: OrderAction = { kind: 'cancel', isFirst: true };
const deleted: OrderAction = { kind: 'delete' };
const read = (shown: Shown, shownTotal = total): OrderAction => ({ kind: 'read', shown, total: shownTotal });
const settle = (shown: Shown, payment: string, amount: number | null, ...invoices: number[]): OrderAction => ({
  kind: 'settle',
  shown,
  payment,
  amount,
  invoices,
});
const [pending, confirmed, asShown] = [read('PENDING'), read('CONFIRMED'), read('SHIPPED')];
const asShipped = settle('SHIPPED', 'PAID', 450, 450);
const asRefunded = settle('CANCELLED PAID', 'REFUNDED', 450, 450);
const asPaid = settle('CANCELLED PAID', 'PAID', 450, 450);
const toConfirmed = [place, created, reserved, paid, confirmed];
const ofCancelled = [...toConfirmed, cancelled, released];
const early = [place, created, reserved, cancelled, cancel, paid, read('CANCELLED'), refunded, released, asRefunded];

test.each<[string, OrderAction[]]>([
  ['shipped', [...toConfirmed, shipped, asShown, { kind: 'refuse' }, asShipped]],
  ['shown late', [place, created, reserved, pending, paid, shipped, pending, confirmed, asShipped]],
  ['out of stock', [place, created, rejected, pending, read('CANCELLED'), settle('CANCELLED', 'none', null)]],
  ['declined', [place, created, reserved, failed, released, settle('CANCELLED', 'FAILED', 450)]],
  ['cancelled and refunded', [...toConfirmed, cancelled, firstCancel, released, refunded, asRefunded]],
  ['cancelled during its payment', early],
  ['deleted', [...toConfirmed, cancelled, deleted, { kind: 'miss' }, released, refunded, asRefunded]],
])('an order may be %s', (_, orders) => {
  expect(violations({ orders: inTurn(...orders) })).toEqual([]);
});

test.each<[string, OrderAction[]]>([
  ['from CONFIRMED to PENDING', [...toConfirmed, pending]],
  ['from shipped to CONFIRMED', [...toConfirmed, shipped, asShown, confirmed]],
  ['from a cancellation to CONFIRMED', [...toConfirmed, cancelled, cancel, confirmed]],
  ['from CANCELLED to CONFIRMED', [place, created, reserved, paid, cancelled, read('CANCELLED'), confirmed]],
  ['from shipped to cancelled', [...toConfirmed, shipped, asShown, cancelled]],
  ['from deleted to shown', [...toConfirmed, cancelled, deleted, read('CANCELLED PAID')]],
  ['to before its events', [place, created, reserved, confirmed]],
  ['to another total', [place, created, read('PENDING', 900)]],
  ['to paid without a date', [...toConfirmed, read('impossible: CONFIRMED')]],
  ['to another first cancellation', [...toConfirmed, cancelled, firstCancel, firstCancel]],
])('an order does not go %s', (_, orders) => expectLastWrong(orders));

it('an order may be shown in its earlier state to a concurrent request', () => {
  expect(violations({ orders: [...inTurn(...toConfirmed), at(pending, 25, 59)] })).toEqual([]);
});

test.each<[string, OrderAction[]]>([
  ['no refund', [...ofCancelled, asPaid]],
  ['a refund that is stored but not announced', [...ofCancelled, asRefunded]],
  ['a refund of another amount', [...ofCancelled, event('PaymentRefunded', { amount: 400 })]],
  ['a refund that is announced but not stored', [...ofCancelled, refunded, asPaid]],
  ['a stored payment of another amount', [...toConfirmed, shipped, settle('SHIPPED', 'PAID', 900, 450)]],
  ['an order that is recorded as cancelled and was shipped', [...toConfirmed, shipped, asPaid]],
  ['two refunds', [...ofCancelled, refunded, refunded]],
  ['two payments', [...toConfirmed, paid]],
  ['a payment of another amount', [place, created, reserved, event('OrderPaid', { amount: 451 })]],
  ['a payment without stock', [place, created, rejected, paid]],
  ['a refund of what was shipped', [...toConfirmed, shipped, asShown, refunded]],
  ['two invoices', [...toConfirmed, shipped, settle('SHIPPED', 'PAID', 450, 450, 450)]],
  ['an invoice of another amount', [...toConfirmed, shipped, settle('SHIPPED', 'PAID', 450, 45)]],
  ['no end', [...toConfirmed, settle('CONFIRMED', 'PAID', 450, 450)]],
  ['stock that is not released', [...toConfirmed, cancelled, refunded, asRefunded]],
  ['stock that is released and shipped', [...toConfirmed, released]],
])('money is not lost or taken twice: %s', (_, orders) => expectLastWrong(orders));

describe('an idempotency key', () => {
  const replayed: Placement = { orderId: 'a', isReplayed: true };
  const requests = inTurn({ orderId: 'a' }, replayed);

  it.each([
    ['also', [replayed]],
    ['never', [{ orderId: 'a' }, replayed]],
  ])('may stand for a first request whose response was lost and that %s placed the order', (_, others) => {
    const [, ...later] = inTurn({}, ...others);
    expect(violations({ keys: [at({}, 0), ...later] })).toEqual([]);
  });

  test.each<[string, Placement]>([
    ['for another order', { orderId: 'b' }],
    ['for the same order a second time', { orderId: 'a' }],
    ['with the stored response of another order', { orderId: 'b', isReplayed: true }],
  ])('is not honoured twice, %s, after the other requests or concurrently', (_, again) => {
    expect(violations({ keys: requests })).toEqual([]);
    for (const begun of [30, 0]) {
      const wrong = violations({ keys: [...requests, at(again, begun, 39)] });
      expect(wrong).toEqual([expect.stringContaining('Idempotency-Key k')]);
    }
  });

  it('is not honoured twice for a request whose response was lost: no client asked for the second order', () => {
    const unasked = inTurn(created, reserved, paid, shipped, asShipped);
    expect(violations({ orders: unasked })).toEqual([expect.stringContaining('order o')]);
  });
});

describe('stock', () => {
  const stockAction = (kind: 'set' | 'read' | 'reserve' | 'release', pieces: number): StockAction => ({ kind, pieces });
  const reject = (pieces: number): StockAction => ({ kind: 'reject', pieces, lacking: 1 });
  const [reserve3, set4] = [stockAction('reserve', 3), stockAction('set', 4)];

  it.each([0, 1, 2])('may be read as %i while concurrent requests change it', (pieces) => {
    const [reserve1, release1] = [stockAction('reserve', 1), stockAction('release', 1)];
    const concurrent = [reserve1, reserve1, reject(1), release1].map((change) => at(change, 20, 90));
    const reads = [at(stockAction('read', pieces), 30, 40), at(stockAction('read', 1), 95, 96)];
    expect(violations({ stock: [at(stockAction('set', 2), 0, 9), ...concurrent, ...reads] })).toEqual([]);
  });

  test.each<[string, StockAction[]]>([
    ['by a reservation that is overwritten', [reserve3, stockAction('reserve', 4), stockAction('read', 6)]],
    ['by a release that is overwritten', [reserve3, stockAction('release', 3), stockAction('read', 7)]],
    ['by a PUT that has no effect', [set4, stockAction('read', 10)]],
    ['beyond the last piece', [stockAction('reserve', 6), stockAction('reserve', 6)]],
    ['by a rejection although there was enough', [stockAction('reserve', 5), reject(5)]],
  ])('is not lost or sold twice %s', (_, actions) => {
    expect(violations({ stock: inTurn(...actions.slice(0, -1)) })).toEqual([]);
    expect(violations({ stock: inTurn(...actions) })).toEqual([expect.stringContaining('stock of product p')]);
  });

  it('is not sold twice when two concurrent orders get the last piece', () => {
    const both = [1, 2].map(() => at(stockAction('reserve', 10), 0, 99));
    expect(violations({ stock: both })).toHaveLength(1);
  });
});
