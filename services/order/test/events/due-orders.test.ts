import { setTimeout as pause } from 'node:timers/promises';
import pg from 'pg';
import { until } from '../../../../tests/kit/until.ts';
import { alice, eventsOf } from '../_app.ts';
import { createFixture, dueTime, events, type Fixture, handledAt } from './_saga.ts';

let fixture: Fixture;

beforeEach(async () => {
  fixture = await createFixture();
});
afterEach(() => fixture.close());

async function paidOrder(traceparent?: string): Promise<string> {
  const id = await fixture.place();
  await fixture.handle({ ...events.OrderPaid(id), ...(traceparent !== undefined && { traceparent }) });
  return id;
}
const shippedAtOf = async (id: string) => (await fixture.stateOf(id)).shippedAt;

describe('ship', () => {
  it('ships a paid order after SHIP_AFTER_SECONDS and not before, within the trace of its payment', async () => {
    const traceId = '0af7651916cd43dd8448eb211c80319c';
    const id = await paidOrder(`00-${traceId}-b7ad6b7169203331-01`);
    expect(await fixture.dueAt(new Date(dueTime.getTime() - 1)).ship(100)).toBe(0);
    expect(await shippedAtOf(id)).toBeUndefined();
    expect(await fixture.ship()).toBe(1);
    const shippedAt = dueTime.toISOString();
    expect(await fixture.stateOf(id)).toMatchObject({ status: 'CONFIRMED', shippedAt, updatedAt: shippedAt });
    const [event] = await fixture.prisma.outbox.findMany({ where: { key: id, kind: 'OrderShipped' } });
    expect(JSON.parse(event?.payload ?? '')).toEqual({
      orderId: id,
      customerId: alice,
      timestamp: shippedAt,
      shipmentId: expect.stringMatching(/^[0-9a-f-]{36}$/),
    });
    expect(event?.traceparent).toContain(traceId);
    await fixture.cancel(id).expect(409);
    expect(await fixture.ship()).toBe(0);
    expect(await eventsOf(fixture.prisma, id)).toEqual(['OrderCreated', 'OrderShipped']);
  });

  it('ships neither unpaid nor cancelled orders, nor what inventory shipped', async () => {
    await fixture.place();
    const [cancelled, paidLate, shipped] = [await paidOrder(), await fixture.place(), await paidOrder()];
    await fixture.cancel(cancelled).expect(201);
    await fixture.cancel(paidLate).expect(201);
    await fixture.handle(events.OrderPaid(paidLate), events.OrderShipped(shipped));
    expect(await fixture.ship()).toBe(0);
  });

  it('wakes the relays after its commit', async () => {
    await paidOrder();
    const relay = new pg.Client({ connectionString: fixture.databaseUrl });
    await relay.connect();
    await relay.query('listen outbox');
    let wakes = 0;
    relay.on('notification', () => {
      wakes += 1;
    });
    await pause(100); // the order's own wake may be late
    wakes = 0;
    expect(await fixture.ship()).toBe(1);
    await until('the relays are woken', () => wakes === 1);
    await relay.end();
  });

  it('announces nothing when its transaction is rolled back, and ships afterwards', async () => {
    const id = await paidOrder();
    await fixture.prisma.$executeRaw`
      alter table outbox add constraint closed check (kind <> 'OrderShipped') not valid`;
    await expect(fixture.ship()).rejects.toThrow();
    expect(await shippedAtOf(id)).toBeUndefined();
    await fixture.prisma.$executeRaw`alter table outbox drop constraint closed`;
    expect(await fixture.ship()).toBe(1);
  });

  it('skips locked orders and ships them later', async () => {
    const [held, free] = [await paidOrder(), await paidOrder()];
    await fixture.prisma.$transaction(async (tx) => {
      await tx.$queryRaw`select from orders where id = ${held}::uuid for update`;
      expect(await fixture.ship()).toBe(1);
      expect(await shippedAtOf(free)).toBeDefined();
    });
    expect(await fixture.ship()).toBe(1);
    expect(await shippedAtOf(held)).toBeDefined();
  });

  it('ships or cancels each order, and never both, when replicas and customers do so at the same time', async () => {
    const ids = await Promise.all(Array.from({ length: 30 }, () => paidOrder()));
    const cancelled = ids.slice(0, 20);
    const [statuses] = await Promise.all([
      Promise.all(cancelled.map(async (id) => (await fixture.cancel(id)).status)),
      ...Array.from({ length: 8 }, () => fixture.ship(3)),
    ]);
    while ((await fixture.ship(3)) > 0);
    for (const [index, id] of ids.entries()) {
      const outcome = statuses[index] === 201 ? 'OrderCancelled' : 'OrderShipped';
      expect(await eventsOf(fixture.prisma, id)).toEqual(['OrderCreated', outcome]);
    }
  });

  it('looks for due orders in an index that holds nothing else', async () => {
    await fixture.prisma.$executeRaw`
      insert into orders (id, account_id, status, total_amount, currency, created_at, updated_at, paid_at, shipped_at)
      select gen_random_uuid(), ${alice}::uuid, 'CONFIRMED', 1, 'USD', ${handledAt}, ${handledAt}, ${handledAt}, ${handledAt}
      from generate_series(1, 5000)`;
    await fixture.prisma.$executeRawUnsafe('analyze orders');
    const plan = await fixture.prisma.$queryRaw<Record<string, string>[]>`
      explain select id from orders where status = 'CONFIRMED' and shipped_at is null and paid_at <= ${handledAt}
      order by paid_at limit 100 for update skip locked`;
    expect(JSON.stringify(plan)).toContain('Index Scan using orders_unshipped_idx');
  });
});
