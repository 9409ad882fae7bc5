import type { StoredEvent } from '@store/shared/messaging/events';
import { useDatabase } from '../../../tests/kit/postgres/database.ts';
import { lockedOutOfOrder, planWithoutOrder } from '../../../tests/kit/postgres/transaction.ts';
import { seededRandom } from '../../../tests/kit/random.ts';
import { type Demanded, orderOf, testInventory } from './_inventory.ts';

const database = useDatabase('inventory', 'each');
const inventory = database.open(testInventory);
const other = database.open(testInventory);

const products = (count: number, available: number) =>
  Promise.all(Array.from({ length: count }, () => inventory.setStock(available)));

describe('concurrent events', () => {
  it('give new products of 20 orders their initial stock once', async () => {
    const all = Array.from({ length: 10 }, () => crypto.randomUUID() as string);
    const orders = Array.from({ length: 20 }, (_, index) => {
      const turned = [...all.slice(index % 10), ...all.slice(0, index % 10)];
      return orderOf(...turned.map((id): Demanded => [id, 2]));
    });
    await Promise.all(orders.map((order) => inventory.take(order.created())));
    for (const tea of all) expect(await inventory.available(tea)).toBe(1_000 - 20 * 2);
  });

  it('reserve stock once if they are deliveries of the same event', async () => {
    const tea = await inventory.setStock(10);
    const order = orderOf([tea, 3]);
    const event = order.created();
    await Promise.all(Array.from({ length: 5 }, () => inventory.take(event)));
    await Promise.all(Array.from({ length: 5 }, () => inventory.take(order.created())));
    expect(await inventory.available(tea)).toBe(7);
    expect(await inventory.kindsOf(order.orderId)).toEqual(['StockReserved']);
  });

  it('OrderCreated and OrderCancelled leave nothing reserved', async () => {
    const tea = await inventory.setStock(10);
    for (let round = 0; round < 20; round += 1) {
      const order = orderOf([tea, 3]);
      await Promise.all([inventory.take(order.created()), inventory.take(order.cancelled())]);
      expect(await inventory.statusOf(order.orderId)).toBe('RELEASED');
      expect(await inventory.available(tea)).toBe(10);
    }
  });
});

type Order = ReturnType<typeof orderOf>;

/** Hands one event per order to two replicas at once, which get the chunks alternately. */
const takeAll = (orders: Order[], chunkSize: number, eventOf: (order: Order) => StoredEvent) =>
  Promise.all(
    Array.from({ length: Math.ceil(orders.length / chunkSize) }, (_, index) =>
      (index % 2 === 0 ? inventory : other).take(
        ...orders.slice(index * chunkSize, (index + 1) * chunkSize).map(eventOf),
      ),
    ),
  );

// saga.test.ts covers each event in each state of its order.
describe('chunks of two replicas', () => {
  it.each([1, 2, 3])('with overlapping products do not deadlock, and the stock is exact (seed %i)', async (seed) => {
    const random = seededRandom(seed);
    const all = await products(8, 150);
    const turned = (from: number) => [...all.slice(from), ...all.slice(0, from)];
    const newOrders = (count: number) =>
      Array.from({ length: count }, () => orderOf(...turned(random(8)).map((id): Demanded => [id, 1 + random(2)])));
    for (let round = 0; round < 4; round += 1) {
      const orders = newOrders(120);
      await takeAll(orders, 10, (order) => order.created());
      // Everything is released or shipped in other chunks than it was reserved in, while more is reserved.
      const mixed = orders.sort(() => random(3) - 1);
      await Promise.all([
        takeAll(mixed, 20, (order) => (random(3) === 0 ? order.shipped() : order.cancelled())),
        ...newOrders(6).map((order) => other.take(order.created())),
      ]);
    }
    expect(await inventory.inexact(150, all)).toEqual([]);
  });

  it('take the stock of one hot product exactly until nothing is left', async () => {
    const tea = await inventory.setStock(100);
    const orders = Array.from({ length: 160 }, () => orderOf([tea, 1]));
    await takeAll(orders, 10, (order) => order.created());
    const kinds = (await Promise.all(orders.map(({ orderId }) => inventory.kindsOf(orderId)))).flat();
    expect(kinds.filter((kind) => kind === 'StockReserved')).toHaveLength(100);
    expect(kinds.filter((kind) => kind === 'StockRejected')).toHaveLength(60);
    expect(await inventory.available(tea)).toBe(0);
  });
});

describe('locks are taken in order of id under any query plan, of', () => {
  // Rows are stored in the opposite order.
  const planned = async () => {
    await planWithoutOrder(database.url);
    return database.closeLater(testInventory(database.url));
  };

  it('stock', async () => {
    const ids = Array.from({ length: 5 }, () => crypto.randomUUID() as string).sort();
    for (const productId of ids.toReversed())
      await inventory.prisma.stock.create({ data: { productId, available: 9 } });
    const { take } = await planned();
    const rows = { table: 'stock', key: 'product_id::text' };
    const order = orderOf(...ids.toReversed().map((id): Demanded => [id, 1]));
    expect(await lockedOutOfOrder(database.url, rows, ids, () => take(order.created()))).toEqual([]);
    expect(await inventory.statusOf(order.orderId)).toBe('RESERVED');
  });

  it('reservations', async () => {
    const tea = await inventory.setStock(100);
    const orders = Array.from({ length: 5 }, () => orderOf([tea, 1]));
    const reversed = orders.sort((a, b) => (a.orderId < b.orderId ? 1 : -1));
    for (const order of reversed) await inventory.take(order.created());
    const { take } = await planned();
    const ids = reversed.map(({ orderId }) => orderId).toReversed();
    const rows = { table: 'reservations', key: 'order_id::text' };
    const cancelAll = () => take(...reversed.map((order) => order.cancelled()));
    expect(await lockedOutOfOrder(database.url, rows, ids, cancelAll)).toEqual([]);
    expect(await inventory.available(tea)).toBe(100);
  });
});
