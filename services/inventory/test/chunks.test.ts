import { randomUUID } from 'node:crypto';
import { mock } from 'node:test';
import { runInTrace, traceFrom } from '@store/shared/observability/trace-context';
import pg from 'pg';
import { useDatabase } from '../../../tests/kit/postgres/database.ts';
import { seededRandom } from '../../../tests/kit/random.ts';
import { type Demanded, fakeOrders, fakeProducts, orderOf, testInventory, unknown } from './_inventory.ts';

let products: ReturnType<typeof fakeProducts>;
let orders: ReturnType<typeof fakeOrders>;

beforeEach(() => {
  products = fakeProducts();
  orders = fakeOrders();
});

const database = useDatabase('inventory');
const inventory = database.open((url) => testInventory(url, { products, orders }), 'each');

const stocks = (count: number, available: number) =>
  Promise.all(Array.from({ length: count }, () => inventory.setStock(available)));

/** How many statements the process sends to PostgreSQL meanwhile, beside what wakes the relays now and then. */
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
    // Ids that sort the other way round.
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

  it('lets an order have what another one in it gave back before', async () => {
    const tea = await inventory.setStock(3);
    const [old, next] = [orderOf([tea, 3]), orderOf([tea, 2])];
    await inventory.take(old.created());
    await inventory.take(old.cancelled(), next.created());
    expect(await inventory.kindsOf(next.orderId)).toEqual(['StockReserved']);
    expect(await inventory.available(tea)).toBe(1);
  });

  it('may hold several events of an order, repeated ones included', async () => {
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
    expect(await Promise.all([bought, left, never].map(({ orderId }) => inventory.kindsOf(orderId)))).toEqual([
      ['StockReserved'],
      ['StockReserved', 'StockReleased'],
      [],
    ]);
    expect(await Promise.all([bought, left, never].map(({ orderId }) => inventory.statusOf(orderId)))).toEqual([
      'SHIPPED',
      'RELEASED',
      'RELEASED',
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

  it('writes each event within the trace of the one that caused it', async () => {
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
    const all = await stocks(5, 1_000);
    const orders = Array.from({ length: size }, (_, index) => orderOf([all[index % 5] ?? '', 1], [all[0] ?? '', 2]));
    await inventory.take(orderOf(...all.map((id): Demanded => [id, 1])).created()); // the products are known
    const created = await statementsOf(() => inventory.take(...orders.map((order) => order.created())));
    expect(created).toBe(7); // begin, event ids, reservations, locks of the stock, stock, events, commit
    const released = await statementsOf(() => inventory.take(...orders.map((order) => order.paymentFailed())));
    expect(released).toBe(8);
  });
});

describe('chunks of two replicas', () => {
  const other = database.open((url) => testInventory(url), 'each');

  it.each([1, 2, 3])('with overlapping products do not deadlock, and the stock is exact (seed %i)', async (seed) => {
    const random = seededRandom(seed);
    const all = await stocks(8, 150);
    const turned = (from: number, demanded: string[]) => [...demanded.slice(from), ...demanded.slice(0, from)];
    for (let round = 0; round < 4; round += 1) {
      const orders = Array.from({ length: 120 }, () =>
        orderOf(...turned(random(8), all).map((id): Demanded => [id, 1 + random(2)])),
      );
      const chunks = Array.from({ length: 12 }, (_, index) => orders.slice(index * 10, index * 10 + 10));
      await Promise.all(
        chunks.map((chunk, index) => [inventory, other][index % 2]?.take(...chunk.map((order) => order.created()))),
      );
      // Everything is released or shipped, by other chunks than those that reserved it, while more is reserved.
      const mixed = orders
        .sort(() => random(3) - 1)
        .map((order) => (random(3) === 0 ? order.shipped() : order.cancelled()));
      const more = Array.from({ length: 6 }, () => orderOf(...turned(random(8), all).map((id): Demanded => [id, 1])));
      await Promise.all([
        ...Array.from({ length: 6 }, (_, index) =>
          [inventory, other][index % 2]?.take(...mixed.slice(index * 20, index * 20 + 20)),
        ),
        ...more.map((order) => other.take(order.created())),
      ]);
    }
    expect(await inventory.inexact(150, all)).toEqual([]);
  });

  it('with the same events in another order handle each once and do not deadlock', async () => {
    const tea = await inventory.setStock(1_000);
    for (let round = 0; round < 10; round += 1) {
      const events = Array.from({ length: 40 }, () => orderOf([tea, 1]).created());
      await Promise.all([inventory.take(...events), other.take(...[...events].reverse())]);
    }
    expect(await inventory.available(tea)).toBe(1_000 - 10 * 40);
  });

  it('take the stock of one hot product exactly until nothing is left', async () => {
    const tea = await inventory.setStock(100);
    const orders = Array.from({ length: 160 }, () => orderOf([tea, 1]));
    await Promise.all(
      Array.from({ length: 16 }, (_, index) =>
        [inventory, other][index % 2]?.take(
          ...orders.slice(index * 10, index * 10 + 10).map((order) => order.created()),
        ),
      ),
    );
    const kinds = (await Promise.all(orders.map(({ orderId }) => inventory.kindsOf(orderId)))).flat();
    expect(kinds.filter((kind) => kind === 'StockReserved')).toHaveLength(100);
    expect(kinds.filter((kind) => kind === 'StockRejected')).toHaveLength(60);
    expect(await inventory.available(tea)).toBe(0);
  });
});
