import { unavailable } from '@store/shared/values/errors';
import { Decimal } from '@store/shared/values/money';
import { useDatabase } from '../../../tests/kit/postgres/database.ts';
import { alice, fakeOrders, orderOf, testInventory } from './_inventory.ts';

const inventory = useDatabase('inventory').open((url) => testInventory(url, { orders, clock: () => now }));
let now: Date;
const orders = fakeOrders();

beforeEach(() => {
  now = new Date('2026-03-01T12:00:00.000Z');
  Object.assign(orders, { asked: [], known: new Map(), answer: async () => undefined });
});

describe('OrderCreated', () => {
  it('reserves all items and publishes StockReserved with the total of the order', async () => {
    const [tea, salt] = [await inventory.setStock(10), await inventory.setStock(5)];
    const order = orderOf([tea, 3], [salt, 5]);
    await inventory.take(order.created({ total: { amount: 12_345.67, currency: 'EUR' } }));
    expect(await inventory.statusOf(order.orderId)).toBe('RESERVED');
    expect([await inventory.available(tea), await inventory.available(salt)]).toEqual([7, 0]);
    expect(await inventory.eventsOf(order.orderId)).toEqual([
      {
        kind: 'StockReserved',
        payload: {
          orderId: order.orderId,
          customerId: alice,
          timestamp: now.toISOString(),
          items: order.items,
          total: { amount: 12_345.67, currency: 'EUR' },
        },
        traceparent: expect.stringMatching(/^00-/),
      },
    ]);
  });

  it('reserves nothing when an item is short and publishes StockRejected with the missing quantities', async () => {
    const [tea, salt, gold] = [await inventory.setStock(10), await inventory.setStock(5), await inventory.setStock(0)];
    const order = orderOf([tea, 3], [salt, 7], [gold, 1]);
    await inventory.take(order.created());
    expect(await inventory.statusOf(order.orderId)).toBe('REJECTED');
    expect([await inventory.available(tea), await inventory.available(salt)]).toEqual([10, 5]);
    const [event] = await inventory.eventsOf(order.orderId);
    expect(event).toMatchObject({ kind: 'StockRejected', payload: { orderId: order.orderId, customerId: alice } });
    expect(event?.payload.items).toEqual([
      { productId: salt, quantity: 2 },
      { productId: gold, quantity: 1 },
    ]);
    expect(event?.payload.reason).toBe('out of stock');
  });

  it('adds up the quantities of repeated products', async () => {
    const tea = await inventory.setStock(10);
    const fits = orderOf([tea, 4], [tea, 5]);
    await inventory.take(fits.created());
    expect(await inventory.available(tea)).toBe(1);
    expect((await inventory.eventsOf(fits.orderId))[0]?.payload.items).toEqual([{ productId: tea, quantity: 9 }]);
    const exceeds = orderOf([tea, 1], [tea, 1]);
    await inventory.take(exceeds.created());
    expect(await inventory.kindsOf(exceeds.orderId)).toEqual(['StockRejected']);
    expect(await inventory.available(tea)).toBe(1);
  });

  it('rejects a quantity beyond the range of the column', async () => {
    const tea = await inventory.setStock(10);
    const order = orderOf([tea, Number.MAX_SAFE_INTEGER]);
    await inventory.take(order.created());
    expect(await inventory.kindsOf(order.orderId)).toEqual(['StockRejected']);
  });

  it('keeps every digit of the total', async () => {
    const order = orderOf([await inventory.setStock(1), 1]);
    const event = order.created();
    const payload = event.payload.replace('12.34', '123456789012345678.1234');
    await inventory.take({ ...event, payload });
    const stored = await inventory.prisma.outbox.findFirstOrThrow({ where: { key: order.orderId } });
    expect(stored.payload).toContain('"amount":123456789012345678.1234');
  });

  describe.each<[string, object]>([
    ['items', { items: undefined }],
    ['total', { total: undefined }],
    ['items and total', { items: undefined, total: undefined }],
  ])('without %s', (_what, more) => {
    const total = { amount: new Decimal('123456789012345678.1234'), currency: 'EUR' };

    it('asks the order service, once for a chunk', async () => {
      const tea = await inventory.setStock(10);
      const [first, second] = [orderOf([tea, 2]), orderOf([tea, 3])];
      for (const order of [first, second]) orders.know(order, total);
      await inventory.take(first.created(more), orderOf([tea, 1]).created(), second.created(more));
      expect(orders.asked).toEqual([[first.orderId, second.orderId]]);
      expect(await inventory.available(tea)).toBe(4);
      expect(await inventory.eventsOf(first.orderId)).toMatchObject([
        { kind: 'StockReserved', payload: { items: first.items, total: { currency: expect.any(String) } } },
      ]);
    });

    it('waits while the order service is unavailable', async () => {
      const order = orderOf([await inventory.setStock(1), 1]);
      orders.answer = async () => {
        throw unavailable('The order service');
      };
      await expect(inventory.take(order.created(more))).rejects.toMatchObject({ kind: 'unavailable' });
      expect(await inventory.statusOf(order.orderId)).toBeUndefined();
    });

    it('is poison where the order service does not know the order', async () => {
      const order = orderOf([await inventory.setStock(1), 1]);
      await expect(inventory.take(order.created(more))).rejects.toMatchObject({ name: 'PoisonError' });
      expect(await inventory.statusOf(order.orderId)).toBeUndefined();
    });
  });

  it('with items and total asks no order service', async () => {
    await inventory.take(orderOf([await inventory.setStock(1), 1]).created());
    expect(orders.asked).toEqual([]);
  });

  it('is poison when the sum of quantities is not a safe integer', async () => {
    const tea = await inventory.setStock(1);
    const order = orderOf([tea, Number.MAX_SAFE_INTEGER], [tea, 1]);
    await expect(inventory.take(order.created())).rejects.toMatchObject({ name: 'PoisonError' });
  });

  it('is handled despite unknown fields', async () => {
    const order = orderOf([await inventory.setStock(1), 1]);
    await inventory.take(order.created({ gift: true } as object));
    expect(await inventory.kindsOf(order.orderId)).toEqual(['StockReserved']);
  });
});
