import { checkHistory } from './_check.ts';
import { createHistory } from './_history.ts';
import type { Placement } from './_key-model.ts';
import type { Operation } from './_linearizability.ts';
import type { OrderAction, Shown } from './_order-model.ts';
import type { StockAction } from './_stock-model.ts';

/** One after another, 10 ms each. */
const inTurn = <Action>(...actions: Action[]): Operation<Action>[] =>
  actions.map((action, index) => ({ action, invokedAt: 10 * index, respondedAt: 10 * index + 9 }));

/** With its time, or unknown outcome, changed. */
const at = <Action>(operation: Operation<Action>, invokedAt: number, respondedAt = Number.POSITIVE_INFINITY) => ({
  ...operation,
  invokedAt,
  respondedAt,
});

function violations(objects: {
  key?: Operation<Placement>[];
  order?: Operation<OrderAction>[];
  stock?: Operation<StockAction>[];
}): string[] {
  const history = createHistory();
  for (const operation of objects.key ?? []) history.keys.add('k', operation);
  for (const operation of objects.order ?? []) history.orders.add('o', operation);
  for (const operation of objects.stock ?? []) history.stock.add('p', operation);
  return checkHistory(history, 10);
}

const place: OrderAction = { kind: 'place', total: 450, items: '1 of tea' };
const created: OrderAction = { kind: 'event', event: 'OrderCreated', items: '1 of tea', amount: 450 };
const reserved: OrderAction = { kind: 'event', event: 'StockReserved', items: '1 of tea', amount: 450 };
const rejected: OrderAction = { kind: 'event', event: 'StockRejected', items: '1 of tea' };
const paid: OrderAction = { kind: 'event', event: 'OrderPaid', amount: 450 };
const failed: OrderAction = { kind: 'event', event: 'PaymentFailed' };
const released: OrderAction = { kind: 'event', event: 'StockReleased', items: '1 of tea' };
const cancelled: OrderAction = { kind: 'event', event: 'OrderCancelled' };
const refunded: OrderAction = { kind: 'event', event: 'PaymentRefunded', amount: 450 };
const shipped: OrderAction = { kind: 'event', event: 'OrderShipped' };
const read = (shown: Shown, total = 450): OrderAction => ({ kind: 'read', shown, total });
const settle = (shown: Shown, payment: string, amount: number | null, ...invoices: number[]): OrderAction => ({
  kind: 'settle',
  shown,
  payment,
  amount,
  invoices,
});
const [pending, confirmed] = [read('PENDING'), read('CONFIRMED')];
const asShipped = settle('SHIPPED', 'PAID', 450, 450);
const asRefunded = settle('CANCELLED PAID', 'REFUNDED', 450, 450);
const toConfirmed = [place, created, reserved, paid, confirmed];

describe('what the models allow', () => {
  test.each<[string, OrderAction[]]>([
    ['shipped', [...toConfirmed, shipped, read('SHIPPED'), { kind: 'refuse' }, asShipped]],
    ['shown late', [place, created, reserved, pending, paid, shipped, pending, confirmed, asShipped]],
    ['out of stock', [place, created, rejected, pending, read('CANCELLED'), settle('CANCELLED', 'none', null)]],
    ['declined', [place, created, reserved, failed, released, settle('CANCELLED', 'FAILED', 450)]],
    [
      'cancelled and refunded',
      [...toConfirmed, cancelled, { kind: 'cancel', isFirst: true }, released, refunded, asRefunded],
    ],
    [
      'cancelled during its payment',
      [
        place,
        created,
        reserved,
        cancelled,
        { kind: 'cancel' },
        paid,
        read('CANCELLED'),
        refunded,
        released,
        asRefunded,
      ],
    ],
    ['deleted', [...toConfirmed, cancelled, { kind: 'delete' }, { kind: 'miss' }, released, refunded, asRefunded]],
  ])('an order that was %s', (_name, actions) => {
    expect(violations({ order: inTurn(...actions) })).toEqual([]);
  });

  test('a key whose first request was lost, whether it has placed the order or not', () => {
    const [lost, first, repeated] = inTurn<Placement>({}, { orderId: 'a' }, { orderId: 'a', isReplayed: true });
    if (!lost || !first || !repeated) throw new Error();
    expect(violations({ key: [at(lost, 0), first, repeated] })).toEqual([]);
    expect(violations({ key: [at(lost, 0), repeated] })).toEqual([]);
  });

  test('stock that concurrent requests change, read before, between and after them', () => {
    const [set, ...changes] = inTurn<StockAction>(
      { kind: 'set', pieces: 2 },
      { kind: 'reserve', pieces: 1 },
      { kind: 'reserve', pieces: 1 },
      { kind: 'reject', pieces: 1, lacking: 1 },
      { kind: 'release', pieces: 1 },
    );
    const concurrent = changes.map((change) => at(change, 20, 90));
    for (const pieces of [0, 1, 2]) {
      const during = { action: { kind: 'read', pieces } as const, invokedAt: 30, respondedAt: 40 };
      const after = { action: { kind: 'read', pieces: 1 } as const, invokedAt: 95, respondedAt: 96 };
      expect(violations({ stock: [set as Operation<StockAction>, ...concurrent, during, after] })).toEqual([]);
    }
  });
});

describe('an idempotency key that is honoured twice', () => {
  const requests = inTurn<Placement>({ orderId: 'a' }, { orderId: 'a', isReplayed: true });

  test.each<[string, Placement]>([
    ['for another order', { orderId: 'b' }],
    ['for the same order anew', { orderId: 'a' }],
    ['with the stored response of another order', { orderId: 'b', isReplayed: true }],
  ])('%s', (_name, again) => {
    const repeated = { action: again, invokedAt: 30, respondedAt: 39 };
    expect(violations({ key: requests })).toEqual([]);
    expect(violations({ key: [...requests, repeated] })).toEqual([expect.stringContaining('Idempotency-Key k')]);
    // Concurrent with the others, it is as wrong.
    expect(violations({ key: [...requests, at(repeated, 0, 39)] })).toHaveLength(1);
  });

  test('for a request whose response was lost: an order that nobody asked for', () => {
    const unasked = inTurn(created, reserved, paid, shipped, asShipped);
    expect(violations({ order: unasked })).toEqual([expect.stringContaining('order o')]);
  });
});

describe('an order that goes back', () => {
  test.each<[string, OrderAction[]]>([
    ['from CONFIRMED to PENDING', [...toConfirmed, pending]],
    ['from shipped to CONFIRMED', [...toConfirmed, shipped, read('SHIPPED'), confirmed]],
    ['from a cancellation to CONFIRMED', [...toConfirmed, cancelled, { kind: 'cancel' }, confirmed]],
    ['from CANCELLED to CONFIRMED', [place, created, reserved, paid, cancelled, read('CANCELLED'), confirmed]],
    ['from shipped to cancelled', [...toConfirmed, shipped, read('SHIPPED'), cancelled]],
    ['from deleted to shown', [...toConfirmed, cancelled, { kind: 'delete' }, read('CANCELLED PAID')]],
    ['to before its events', [place, created, reserved, confirmed]],
    ['to another total', [place, created, read('PENDING', 900)]],
    ['to paid without a date', [...toConfirmed, read('impossible: CONFIRMED')]],
  ])('%s', (_name, actions) => {
    const order = inTurn(...actions);
    expect(violations({ order: order.slice(0, -1) })).toEqual([]);
    expect(violations({ order })).toEqual([expect.stringContaining('order o')]);
  });

  test('unless the two requests were concurrent', () => {
    const order = inTurn(...toConfirmed, pending);
    const [stale] = order.slice(-1);
    expect(violations({ order: [...order.slice(0, -1), at(stale as Operation<OrderAction>, 25, 59)] })).toEqual([]);
  });

  test('when two responses claim to be the first cancellation', () => {
    const first: OrderAction = { kind: 'cancel', isFirst: true };
    expect(violations({ order: inTurn(...toConfirmed, cancelled, first, first) })).toHaveLength(1);
  });
});

describe('stock that is lost or sold twice', () => {
  test.each<[string, StockAction[]]>([
    [
      'by a reservation that is overwritten',
      [
        { kind: 'reserve', pieces: 3 },
        { kind: 'reserve', pieces: 4 },
        { kind: 'read', pieces: 6 },
      ],
    ],
    [
      'by a release that is overwritten',
      [
        { kind: 'reserve', pieces: 3 },
        { kind: 'release', pieces: 3 },
        { kind: 'read', pieces: 7 },
      ],
    ],
    [
      'by a PUT that has no effect',
      [
        { kind: 'set', pieces: 4 },
        { kind: 'read', pieces: 10 },
      ],
    ],
    [
      'beyond the last piece',
      [
        { kind: 'reserve', pieces: 6 },
        { kind: 'reserve', pieces: 6 },
      ],
    ],
    [
      'by a rejection though there was enough',
      [
        { kind: 'reserve', pieces: 5 },
        { kind: 'reject', pieces: 5, lacking: 1 },
      ],
    ],
  ])('%s', (_name, actions) => {
    const stock = inTurn(...actions);
    expect(violations({ stock: stock.slice(0, -1) })).toEqual([]);
    expect(violations({ stock })).toEqual([expect.stringContaining('stock of product p')]);
  });

  test('when two concurrent orders get the last piece', () => {
    const reserve: StockAction = { kind: 'reserve', pieces: 10 };
    expect(violations({ stock: inTurn(reserve, reserve).map((one) => at(one, 0, 99)) })).toHaveLength(1);
  });
});

describe('money that is lost or taken twice', () => {
  const ofCancelled = [...toConfirmed, cancelled, released];
  test.each<[string, OrderAction[]]>([
    ['no refund', [...ofCancelled, settle('CANCELLED PAID', 'PAID', 450, 450)]],
    ['a refund that is stored, but not announced', [...ofCancelled, asRefunded]],
    ['a refund of another amount', [...ofCancelled, { kind: 'event', event: 'PaymentRefunded', amount: 400 }]],
    [
      'a refund that is announced, but not stored',
      [...ofCancelled, refunded, settle('CANCELLED PAID', 'PAID', 450, 450)],
    ],
    ['a stored payment of another amount', [...toConfirmed, shipped, settle('SHIPPED', 'PAID', 900, 450)]],
    [
      'an order that is recorded as cancelled and was shipped',
      [...toConfirmed, shipped, settle('CANCELLED PAID', 'PAID', 450, 450)],
    ],
    ['two refunds', [...ofCancelled, refunded, refunded]],
    ['two payments', [...toConfirmed, paid]],
    ['a payment of another amount', [place, created, reserved, { kind: 'event', event: 'OrderPaid', amount: 451 }]],
    ['a payment without stock', [place, created, rejected, paid]],
    ['a refund of what was shipped', [...toConfirmed, shipped, read('SHIPPED'), refunded]],
    ['two invoices', [...toConfirmed, shipped, settle('SHIPPED', 'PAID', 450, 450, 450)]],
    ['an invoice of another amount', [...toConfirmed, shipped, settle('SHIPPED', 'PAID', 450, 45)]],
    ['no end', [...toConfirmed, settle('CONFIRMED', 'PAID', 450, 450)]],
    ['stock that is not released', [...toConfirmed, cancelled, refunded, asRefunded]],
    ['stock that is released and shipped', [...toConfirmed, released]],
  ])('%s', (_name, actions) => {
    const order = inTurn(...actions);
    expect(violations({ order: order.slice(0, -1) })).toEqual([]);
    expect(violations({ order })).toEqual([expect.stringContaining('order o')]);
  });
});
