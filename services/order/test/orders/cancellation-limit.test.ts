import { useDatabase } from '../../../../tests/kit/postgres/database.ts';
import { alice, as, bob, eventsOf, testApp } from '../_app.ts';

let now = new Date('2026-03-01T12:00:00.000Z');
const database = useDatabase('order');
const order = database.open((url) => testApp(url, { env: { CANCELLATIONS_PER_HOUR: '3' }, clock: () => now }));
const unlimited = database.open((url) => testApp(url, { clock: () => now }));
const customer = as(alice, order);
const minutesLater = (minutes: number) => {
  now = new Date(now.getTime() + minutes * 60_000);
};

beforeEach(async () => {
  await order.empty();
  now = new Date('2026-03-01T12:00:00.000Z');
});

/** Places and cancels `count` orders. Deletes every other order to cancel it. */
async function cancelled(count: number, by = customer): Promise<void> {
  for (let n = 0; n < count; n += 1) {
    const id = await by.placed();
    await (n % 2 === 0 ? by.cancel(id).expect(201) : by.remove(id).expect(204));
  }
}

describe('an account that cancels its orders', () => {
  it('can place no more within the hour, stores nothing, and gets a Retry-After', async () => {
    await cancelled(3);
    const events = await order.prisma.outbox.count();
    for (const refused of [await customer.place(), await customer.placeWith('a-key')]) {
      expect(refused.status).toBe(429);
      expect(refused.body.type).toBe('urn:problem:store:too-many-cancellations');
      expect(Number(refused.headers['retry-after'])).toBeGreaterThan(0);
    }
    expect([await order.prisma.outbox.count(), await order.prisma.idempotencyKey.count()]).toEqual([events, 0]);
    await as(bob, order).place().expect(201);
    minutesLater(61);
    expect((await customer.placeWith('a-key')).status).toBe(201);
  });

  it('still gets the stored reply of an order, and can still cancel', async () => {
    const first = await customer.placeWith('a-key');
    await cancelled(3);
    const again = await customer.placeWith('a-key');
    expect([again.status, again.body]).toEqual([201, first.body]);
    expect(again.headers['idempotency-replayed']).toBe('true');
    await customer.cancel(first.body.id).expect(201);
    expect(await eventsOf(order.prisma, first.body.id)).toEqual(['OrderCreated', 'OrderCancelled']);
  });

  it('is not limited by orders that were out of stock or are paid', async () => {
    const ids = [await customer.placed(), await customer.placed(), await customer.placed(), await customer.placed()];
    const missing = [{ productId: ids[0], quantity: 1 }];
    const data = { status: 'CANCELLED', cancelledAt: now, cancelReason: 'out of stock', missing } as never;
    await order.prisma.order.updateMany({ where: { id: { in: ids.slice(0, 2) } }, data });
    await order.prisma.order.updateMany({ where: { id: { in: ids.slice(2) } }, data: { status: 'CONFIRMED' } });
    await customer.place().expect(201);
  });

  it('is not limited by default', async () => {
    await cancelled(5, as(alice, unlimited));
    await as(alice, unlimited).place().expect(201);
  });
});
