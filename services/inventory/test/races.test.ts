import { useDatabase } from '../../../tests/kit/postgres/database.ts';
import { seededRandom } from '../../../tests/kit/random.ts';
import { type Demanded, orderOf, testInventory } from './_inventory.ts';

const database = useDatabase('inventory', 'each');
const inventory = database.open((url) => testInventory(url));

const products = (count: number, available: number) =>
  Promise.all(Array.from({ length: count }, () => inventory.setStock(available)));

test('two concurrent orders for the last piece: one is reserved, the other rejected', async () => {
  const second = testInventory(database.url);
  try {
    for (let round = 0; round < 20; round += 1) {
      const tea = await inventory.setStock(1);
      const orders = [orderOf([tea, 1]), orderOf([tea, 1])] as const;
      await Promise.all([inventory.take(orders[0].created()), second.take(orders[1].created())]);
      const kinds = [...(await inventory.kindsOf(orders[0].orderId)), ...(await inventory.kindsOf(orders[1].orderId))];
      expect(kinds.sort()).toEqual(['StockRejected', 'StockReserved']);
      expect(await inventory.available(tea)).toBe(0);
    }
  } finally {
    await second.close();
  }
});

test('an order that waited for a lock sees the reduced stock', async () => {
  const tea = await inventory.setStock(5);
  const order = orderOf([tea, 5]);
  let taking: Promise<unknown> | undefined;
  await inventory.prisma.$transaction(async (tx) => {
    await tx.$executeRaw`update stock set available = 4 where product_id = ${tea}::uuid`;
    taking = inventory.take(order.created());
    await new Promise((resolve) => setTimeout(resolve, 200));
  });
  await taking;
  expect(await inventory.kindsOf(order.orderId)).toEqual(['StockRejected']);
  expect(await inventory.available(tea)).toBe(4);
});

test('20 concurrent orders with the same products in different order do not deadlock', async () => {
  const all = await products(6, 1_000);
  for (let round = 0; round < 3; round += 1) {
    const orders = Array.from({ length: 20 }, (_, index) => {
      const turned = [...all.slice(index % 6), ...all.slice(0, index % 6)];
      const demanded = (index % 2 === 0 ? turned : turned.reverse()).map((id): Demanded => [id, 1]);
      return orderOf(...demanded);
    });
    await Promise.all(orders.map((order) => inventory.take(order.created())));
    // Half is released while the other half is shipped and new orders come.
    await Promise.all([
      ...orders.map((order, index) => inventory.take(index % 2 === 0 ? order.cancelled() : order.shipped())),
      ...orders.map(({ items }) =>
        inventory.take(orderOf(...items.map((item): Demanded => [item.productId, 1])).created()),
      ),
    ]);
  }
  for (const tea of all) expect(await inventory.available(tea)).toBe(1_000 - 3 * 30);
});

test('products that are new in 20 concurrent orders get their initial stock once', async () => {
  const all = Array.from({ length: 10 }, () => crypto.randomUUID() as string);
  const orders = Array.from({ length: 20 }, (_, index) => {
    const turned = [...all.slice(index % 10), ...all.slice(0, index % 10)];
    return orderOf(...turned.map((id): Demanded => [id, 2]));
  });
  await Promise.all(orders.map((order) => inventory.take(order.created())));
  for (const tea of all) expect(await inventory.available(tea)).toBe(1_000 - 20 * 2);
});

test('concurrent deliveries of an event reserve stock once', async () => {
  const tea = await inventory.setStock(10);
  const order = orderOf([tea, 3]);
  const event = order.created();
  await Promise.all(Array.from({ length: 5 }, () => inventory.take(event)));
  await Promise.all(Array.from({ length: 5 }, () => inventory.take(order.created())));
  expect(await inventory.available(tea)).toBe(7);
  expect(await inventory.kindsOf(order.orderId)).toEqual(['StockReserved']);
});

test('concurrent OrderCreated and OrderCancelled leave nothing reserved', async () => {
  const tea = await inventory.setStock(10);
  for (let round = 0; round < 20; round += 1) {
    const order = orderOf([tea, 3]);
    await Promise.all([inventory.take(order.created()), inventory.take(order.cancelled())]);
    expect(await inventory.statusOf(order.orderId)).toBe('RELEASED');
    expect(await inventory.available(tea)).toBe(10);
  }
});

test.each([1, 2, 3, 4, 5])(
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
      const kinds = await inventory.kindsOf(orderId);
      const status = await inventory.statusOf(orderId);
      const expected = {
        RESERVED: /^StockReserved$/,
        REJECTED: /^StockRejected$/,
        RELEASED: /^StockReserved StockReleased$/,
        SHIPPED: /^StockReserved$/,
      }[String(status)];
      expect(kinds.join(' ')).toMatch(expected ?? /no such status/);
    }
  },
);
