import { randomUUID } from 'node:crypto';
import { mock } from 'node:test';
import { runInTrace, traceFrom } from '@store/shared/observability/trace-context';
import { unavailable } from '@store/shared/values/errors';
import { Decimal } from '@store/shared/values/money';
import pg from 'pg';
import { useDatabase } from '../../../tests/kit/postgres/database.ts';
import { alice, type Demanded, fakeOrders, fakeProducts, orderOf, testInventory, unknown } from './_inventory.ts';

const inventory = useDatabase('inventory').open((url) => testInventory(url, { products, orders, clock: () => now }));
let now: Date;
const orders = fakeOrders();
const products = fakeProducts();

beforeEach(() => {
  now = new Date('2026-03-01T12:00:00.000Z');
  products.asked = [];
  Object.assign(orders, { asked: [], known: new Map(), answer: async () => undefined });
});

describe('OrderCreated', () => {
  it('reserves all items and publishes StockReserved with the total of the order', async () => {
    const [tea, salt] = [await inventory.setStock(10), await inventory.setStock(5)];
    const order = orderOf([tea, 3], [salt, 5]);
    await inventory.take(order.created({ total: { amount: 12_345.67, currency: 'EUR' } }));
    expect(await inventory.statusOf(order.orderId)).toBe('RESERVED');
    expect([await inventory.available(tea), await inventory.available(salt)]).toEqual([7, 0]);
    const { orderId, customerId, items } = order;
    const total = { amount: 12_345.67, currency: 'EUR' };
    const payload = { orderId, customerId, timestamp: now.toISOString(), items, total };
    const traceparent = expect.stringMatching(/^00-/);
    expect(await inventory.eventsOf(orderId)).toEqual([{ kind: 'StockReserved', payload, traceparent }]);
  });

  it.each([true, false])('passes on whether the order has a token: %s', async (hasToken) => {
    const order = orderOf([await inventory.setStock(1), 1]);
    await inventory.take(order.created({ hasToken }));
    expect(await inventory.eventsOf(order.orderId)).toMatchObject([{ kind: 'StockReserved', payload: { hasToken } }]);
  });

  it('reserves nothing if an item is short, and publishes StockRejected with the missing quantities', async () => {
    const [tea, salt, gold] = [await inventory.setStock(10), await inventory.setStock(5), await inventory.setStock(0)];
    const order = orderOf([tea, 3], [salt, 7], [gold, 1]);
    await inventory.take(order.created());
    expect(await inventory.statusOf(order.orderId)).toBe('REJECTED');
    expect([await inventory.available(tea), await inventory.available(salt)]).toEqual([10, 5]);
    const items = [
      { productId: salt, quantity: 2 },
      { productId: gold, quantity: 1 },
    ];
    const payload = { orderId: order.orderId, customerId: alice, items, reason: 'out of stock' };
    expect(await inventory.eventsOf(order.orderId)).toMatchObject([{ kind: 'StockRejected', payload }]);
  });

  it('adds up the quantities of repeated products', async () => {
    const tea = await inventory.setStock(10);
    const [fits, exceeds] = [orderOf([tea, 4], [tea, 5]), orderOf([tea, 1], [tea, 1])];
    for (const order of [fits, exceeds]) await inventory.take(order.created());
    expect((await inventory.eventsOf(fits.orderId))[0]?.payload.items).toEqual([{ productId: tea, quantity: 9 }]);
    expect(await inventory.kindsOf(exceeds.orderId)).toEqual(['StockRejected']);
    expect(await inventory.available(tea)).toBe(1);
  });

  it('rejects a quantity beyond the range of the column, and treats an unsafe sum as poison', async () => {
    const [tea, most] = [await inventory.setStock(10), Number.MAX_SAFE_INTEGER];
    const order = orderOf([tea, most]);
    await inventory.take(order.created());
    expect(await inventory.kindsOf(order.orderId)).toEqual(['StockRejected']);
    await expect(inventory.take(orderOf([tea, most], [tea, 1]).created())).rejects.toMatchObject({
      name: 'PoisonError',
    });
  });

  it('keeps every digit of the total', async () => {
    const order = orderOf([await inventory.setStock(1), 1]);
    const event = order.created();
    const payload = event.payload.replace('12.34', '123456789012345678.1234');
    await inventory.take({ ...event, payload });
    const stored = await inventory.prisma.outbox.findFirstOrThrow({ where: { key: order.orderId } });
    expect(stored.payload).toContain('"amount":123456789012345678.1234');
  });

  it('passes on what is taxed at each rate', async () => {
    const tea = await inventory.setStock(10);
    const order = orderOf([tea, 1]);
    const taxes = [
      { permille: 60, gross: 4 },
      { permille: 230, gross: 8.34 },
    ];
    await inventory.take(order.created({ taxes } as never));
    expect((await inventory.eventsOf(order.orderId))[0]?.payload.taxes).toEqual(taxes);
  });

  describe('without items or total', () => {
    const lacking = { items: undefined, total: undefined };

    it.each([lacking, { items: undefined }, { total: undefined }])(
      'asks the order service once per chunk',
      async (more) => {
        const tea = await inventory.setStock(10);
        const [first, second] = [orderOf([tea, 2]), orderOf([tea, 3])];
        for (const order of [first, second]) orders.know(order, { amount: new Decimal(1.5), currency: 'EUR' });
        await inventory.take(first.created(more), orderOf([tea, 1]).created(), second.created(more));
        expect(orders.asked).toEqual([[first.orderId, second.orderId]]);
        expect(await inventory.available(tea)).toBe(4);
        const total = 'total' in more ? { amount: 1.5, currency: 'EUR' } : { amount: 12.34, currency: 'USD' };
        expect(await inventory.eventsOf(first.orderId)).toMatchObject([{ payload: { items: first.items, total } }]);
      },
    );

    it('waits while the order service is unavailable, and is poison if it does not know the order', async () => {
      const order = orderOf([await inventory.setStock(1), 1]);
      orders.answer = () => Promise.reject(unavailable('The order service'));
      await expect(inventory.take(order.created(lacking))).rejects.toMatchObject({ kind: 'unavailable' });
      orders.answer = async () => undefined;
      await expect(inventory.take(order.created(lacking))).rejects.toMatchObject({ name: 'PoisonError' });
      expect(await inventory.statusOf(order.orderId)).toBeUndefined();
    });
  });

  it('with items and total does not ask the order service', async () => {
    await inventory.take(orderOf([await inventory.setStock(1), 1]).created());
    expect(orders.asked).toEqual([]);
  });
});

/** Counts the statements that the process sends to PostgreSQL during the work, except those that wake the relays. */
async function statementsOf(work: () => Promise<unknown>): Promise<number> {
  const query = mock.method(pg.Client.prototype, 'query');
  await work();
  const { length } = query.mock.calls.filter(({ arguments: [sent] }) => !JSON.stringify(sent)?.includes('pg_notify'));
  query.mock.restore();
  return length;
}

describe('a chunk', () => {
  it('gives the last piece to the first of its orders', async () => {
    const [tea, salt] = [await inventory.setStock(1), await inventory.setStock(5)];
    // In descending order of id.
    const [first, second] = [orderOf([tea, 1]), orderOf([salt, 2], [tea, 1])].sort((a, b) =>
      a.orderId < b.orderId ? 1 : -1,
    ) as [ReturnType<typeof orderOf>, ReturnType<typeof orderOf>];
    const third = orderOf([salt, 5]);
    await inventory.take(first.created(), second.created(), third.created());
    expect(await inventory.statusOf(first.orderId)).toBe('RESERVED');
    expect(await inventory.kindsOf(second.orderId)).toEqual(['StockRejected']);
    expect((await inventory.eventsOf(second.orderId))[0]?.payload.items).toEqual([{ productId: tea, quantity: 1 }]);
    expect(await inventory.available(tea)).toBe(0);
  });

  it('reserves pieces that an earlier event of the chunk released', async () => {
    const tea = await inventory.setStock(3);
    const [old, next] = [orderOf([tea, 3]), orderOf([tea, 2])];
    await inventory.take(old.created());
    await inventory.take(old.cancelled(), next.created());
    expect(await inventory.kindsOf(next.orderId)).toEqual(['StockReserved']);
    expect(await inventory.available(tea)).toBe(1);
  });

  it('may hold several events of an order, including repeated ones', async () => {
    const tea = await inventory.setStock(10);
    const [bought, left, never] = [orderOf([tea, 3]), orderOf([tea, 4]), orderOf([tea, 2])];
    const event = bought.created();
    await inventory.take(
      event,
      left.created(),
      event,
      never.cancelled(),
      bought.created(),
      bought.shipped(),
      left.cancelled(),
      left.paymentFailed(),
      never.created(),
      bought.cancelled(),
    );
    const outcomes = [bought, left, never].map(async ({ orderId }) => [
      await inventory.statusOf(orderId),
      ...(await inventory.kindsOf(orderId)),
    ]);
    expect(await Promise.all(outcomes)).toEqual([
      ['SHIPPED', 'StockReserved'],
      ['RELEASED', 'StockReserved', 'StockReleased'],
      ['RELEASED'],
    ]);
    expect(await inventory.available(tea)).toBe(7);
  });

  it('asks for all of its new products at once', async () => {
    const [tea, salt] = [randomUUID(), randomUUID()];
    const taken = [orderOf([tea, 1]), orderOf([unknown, 1], [salt, 2]), orderOf([salt, 3], [tea, 1])];
    for (const order of taken) orders.know(order);
    await inventory.take(...taken.map((order) => order.created()));
    expect(products.asked.map((ids) => [...ids].sort())).toEqual([[unknown, tea, salt].sort()]);
    expect([await inventory.available(tea), await inventory.available(salt)]).toEqual([998, 997]);
    const reasons = await Promise.all(taken.map(({ orderId }) => inventory.eventsOf(orderId)));
    expect(reasons.map(([event]) => event?.payload.reason)).toEqual([undefined, 'product no longer exists', undefined]);
  });

  it('writes each event within the trace of the event that caused it', async () => {
    const tea = await inventory.setStock(10);
    const orders = Array.from({ length: 3 }, () => ({ trace: traceFrom(undefined), order: orderOf([tea, 1]) }));
    await inventory.take(...orders.map(({ trace, order }) => runInTrace(trace, () => order.created())));
    for (const { trace, order } of orders) {
      const [event] = await inventory.eventsOf(order.orderId);
      expect(event?.traceparent).toContain(trace.traceId);
    }
  });

  it('changes nothing if one of its events is poison', async () => {
    const tea = await inventory.setStock(10);
    const [good, poison] = [orderOf([tea, 1]), orderOf([tea, 1])];
    const events = [good.created(), poison.created({ total: undefined })] as const;
    await expect(inventory.take(...events)).rejects.toMatchObject({ name: 'PoisonError' });
    expect(await inventory.available(tea)).toBe(10);
    await inventory.take(events[0]);
    expect(await inventory.available(tea)).toBe(9);
  });

  it.each([1, 100])('of %i orders takes the same number of statements', async (size) => {
    const all = await Promise.all(Array.from({ length: 5 }, () => inventory.setStock(1_000)));
    const orders = Array.from({ length: size }, (_, index) => orderOf([all[index % 5] ?? '', 1], [all[0] ?? '', 2]));
    await inventory.take(orderOf(...all.map((id): Demanded => [id, 1])).created()); // the products are known
    const created = await statementsOf(() => inventory.take(...orders.map((order) => order.created())));
    expect(created).toBe(7); // begin, event ids, reservations, locks of the stock, stock, events, commit
    const released = await statementsOf(() => inventory.take(...orders.map((order) => order.paymentFailed())));
    expect(released).toBe(8);
  });
});
