import { useDatabase } from '../../../tests/kit/postgres/database.ts';
import { seededRandom } from '../../../tests/kit/random.ts';
import { type Demanded, orderOf, testInventory } from './_inventory.ts';

const database = useDatabase('inventory', 'each');
const inventory = database.open((url) => testInventory(url));
const other = database.open((url) => testInventory(url));

const products = (count: number, available: number) =>
  Promise.all(Array.from({ length: count }, () => inventory.setStock(available)));

describe('events at the same time', () => {
  it('products that are new in 20 concurrent orders get their initial stock once', async () => {
    const all = Array.from({ length: 10 }, () => crypto.randomUUID() as string);
    const orders = Array.from({ length: 20 }, (_, index) => {
      const turned = [...all.slice(index % 10), ...all.slice(0, index % 10)];
      return orderOf(...turned.map((id): Demanded => [id, 2]));
    });
    await Promise.all(orders.map((order) => inventory.take(order.created())));
    for (const tea of all) expect(await inventory.available(tea)).toBe(1_000 - 20 * 2);
  });

  it('concurrent deliveries of an event reserve stock once', async () => {
    const tea = await inventory.setStock(10);
    const order = orderOf([tea, 3]);
    const event = order.created();
    await Promise.all(Array.from({ length: 5 }, () => inventory.take(event)));
    await Promise.all(Array.from({ length: 5 }, () => inventory.take(order.created())));
    expect(await inventory.available(tea)).toBe(7);
    expect(await inventory.kindsOf(order.orderId)).toEqual(['StockReserved']);
  });

  it('concurrent OrderCreated and OrderCancelled leave nothing reserved', async () => {
    const tea = await inventory.setStock(10);
    for (let round = 0; round < 20; round += 1) {
      const order = orderOf([tea, 3]);
      await Promise.all([inventory.take(order.created()), inventory.take(order.cancelled())]);
      expect(await inventory.statusOf(order.orderId)).toBe('RELEASED');
      expect(await inventory.available(tea)).toBe(10);
    }
  });

  it.each([1, 2, 3, 4, 5])(
    'stock is consistent after random events, repeated and late ones included (seed %i)',
    async (seed) => {
      const random = seededRandom(seed);
      const start = 40;
      const all = await products(5, start);
      const orders = Array.from({ length: 30 }, () => {
        const demanded = Array.from({ length: 1 + random(4) }, (): Demanded => [all[random(5)] ?? '', 1 + random(6)]);
        return orderOf(...demanded);
      });
      // Orders are handled concurrently, the events of an order one after another, as in partitions.
      const histories = orders.map((order) => {
        const events = [order.created()];
        for (let step = random(6); step > 0; step -= 1) {
          const kind = (['created', 'paymentFailed', 'cancelled', 'shipped'] as const)[random(4)] ?? 'shipped';
          const event = random(4) === 0 ? events[random(events.length)] : order[kind]();
          if (event !== undefined) events.push(event);
        }
        return events;
      });
      await Promise.all(
        histories.map(async (events) => {
          for (const event of events) await inventory.take(event);
        }),
      );

      expect(await inventory.inexact(start, all)).toEqual([]);

      // The published events must match the final state.
      for (const { orderId } of orders) {
        const expected: Record<string, string[]> = {
          RESERVED: ['StockReserved'],
          REJECTED: ['StockRejected'],
          RELEASED: ['StockReserved', 'StockReleased'],
          SHIPPED: ['StockReserved'],
        };
        expect(await inventory.kindsOf(orderId)).toEqual(expected[String(await inventory.statusOf(orderId))]);
      }
    },
  );
});

describe('chunks of two replicas', () => {
  it.each([1, 2, 3])('with overlapping products do not deadlock, and the stock is exact (seed %i)', async (seed) => {
    const random = seededRandom(seed);
    const all = await products(8, 150);
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
