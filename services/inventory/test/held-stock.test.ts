import { randomUUID } from 'node:crypto';
import { useDatabase } from '../../../tests/kit/postgres/database.ts';
import { type Demanded, orderOf, testInventory } from './_inventory.ts';

let now = new Date('2026-03-01T12:00:00.000Z');
const database = useDatabase('inventory');
const clock = () => now;
const inventory = database.open((url) => testInventory(url, { clock, env: { STOCK_PERCENT_PER_ACCOUNT: '50' } }));
const unlimited = database.open((url) => testInventory(url, { clock }));

/** An order of the given customer. */
function orderBy(customerId: string, ...demanded: Demanded[]) {
  const order = orderOf(...demanded);
  return { ...order, created: () => order.created({ customerId }) };
}
const reserves = async (order: ReturnType<typeof orderOf>, at = inventory) => {
  await at.take(order.created());
  return (await at.statusOf(order.orderId)) === 'RESERVED';
};

describe("a product's stock", () => {
  /** One customer orders all of it and cancels, four times. Each time another orders one piece. @returns how often the other is rejected */
  async function attacked(at: typeof inventory): Promise<number> {
    const tea = await at.setStock(1_000);
    let refused = 0;
    for (let round = 0; round < 4; round += 1) {
      const held = orderOf([tea, 1_000]);
      await at.take(held.created());
      if (!(await reserves(orderBy(randomUUID(), [tea, 1]), at))) refused += 1;
      await at.take(held.cancelled());
    }
    return refused;
  }

  it('cannot be held by one customer who orders and cancels in turns', async () => {
    expect(await attacked(inventory)).toBe(0);
  });

  it('can be held in this way by default', async () => {
    expect(await attacked(unlimited)).toBe(4);
  });

  it('is taken up to the share of one hour, by many orders too, and cancelled orders count', async () => {
    const tea = await inventory.setStock(100);
    const alices = Array.from({ length: 7 }, () => orderOf([tea, 10]));
    await inventory.take(...alices.slice(0, 3).map((order) => order.created()));
    for (const order of alices.slice(0, 2)) await inventory.take(order.cancelled());
    const outcomes: boolean[] = [];
    for (const order of alices.slice(3)) outcomes.push(await reserves(order));
    expect(outcomes).toEqual([true, true, false, false]);
    const refused = alices[6]?.orderId ?? '';
    const payload = { items: [{ productId: tea, quantity: 10 }], reason: 'limit per customer reached' };
    expect(await inventory.eventsOf(refused)).toMatchObject([{ kind: 'StockRejected', payload }]);
    now = new Date(now.getTime() + 3_600_001);
    expect(await reserves(orderOf([tea, 30]))).toBe(true);
  });

  it('is limited within a chunk, where released pieces count', async () => {
    const tea = await inventory.setStock(100);
    const [first, second, third] = [orderOf([tea, 30]), orderOf([tea, 20]), orderOf([tea, 1])];
    await inventory.take(first.created(), second.created(), first.cancelled(), third.created());
    const statuses = [first, second, third].map(({ orderId }) => inventory.statusOf(orderId));
    expect(await Promise.all(statuses)).toEqual(['RELEASED', 'RESERVED', 'REJECTED']);
    expect(await inventory.available(tea)).toBe(80);
  });

  it('is not limited by shipped pieces, and ten pieces are always allowed', async () => {
    const [tea, salt] = [await inventory.setStock(100), await inventory.setStock(10)];
    const left = orderOf([tea, 50]);
    await inventory.take(left.created(), left.shipped());
    expect(await reserves(orderOf([tea, 25]))).toBe(true);
    expect(await reserves(orderOf([salt, 10]))).toBe(true);
  });

  it('is limited exactly if two replicas handle orders of one customer at once', async () => {
    const tea = await inventory.setStock(100);
    const other = database.closeLater(testInventory(database.url, { clock, env: { STOCK_PERCENT_PER_ACCOUNT: '50' } }));
    const orders = Array.from({ length: 20 }, () => orderOf([tea, 10]));
    await Promise.all(orders.map((order, n) => (n % 2 === 0 ? inventory : other).take(order.created())));
    expect(await inventory.available(tea)).toBe(50);
  });
});
