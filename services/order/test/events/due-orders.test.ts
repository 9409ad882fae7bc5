import { register } from 'prom-client';
import { useDatabase } from '../../../../tests/kit/postgres/database.ts';
import { explain } from '../../../../tests/kit/postgres/plan.ts';
import { recordedStatement } from '../../../../tests/kit/postgres/recorded-statement.ts';
import { alice, eventsOf } from '../_app.ts';
import { dueTime, events, handledAt, openSaga, pendingTimeoutMs, placedAt } from './_saga.ts';

const fixture = useDatabase('order').open(openSaga);

beforeEach(() => fixture.empty());

async function paidOrder(traceparent?: string): Promise<string> {
  const id = await fixture.place();
  await fixture.handle({ ...events.OrderPaid(id), ...(traceparent !== undefined && { traceparent }) });
  return id;
}
const shippedAtOf = async (id: string) => (await fixture.stateOf(id)).shippedAt;
const payloadOf = async (key: string, kind: string) =>
  JSON.parse((await fixture.prisma.outbox.findFirst({ where: { key, kind } }))?.payload ?? '');

const deadline = new Date(placedAt.getTime() + pendingTimeoutMs);

describe('ship', () => {
  it('ships a paid order after SHIP_AFTER_SECONDS and not before, within the trace of its payment', async () => {
    const traceId = '0af7651916cd43dd8448eb211c80319c';
    const id = await paidOrder(`00-${traceId}-b7ad6b7169203331-01`);
    expect(await fixture.dueAt(new Date(dueTime.getTime() - 1)).ship(100)).toBe(0);
    expect(await shippedAtOf(id)).toBeUndefined();
    expect(await fixture.ship()).toBe(1);
    const shippedAt = dueTime.toISOString();
    expect(await fixture.stateOf(id)).toMatchObject({ status: 'CONFIRMED', shippedAt, updatedAt: shippedAt });
    expect(await payloadOf(id, 'OrderShipped')).toEqual({
      orderId: id,
      customerId: alice,
      timestamp: shippedAt,
      shipmentId: expect.stringMatching(/^[0-9a-f-]{36}$/),
    });
    const event = await fixture.prisma.outbox.findFirst({ where: { key: id, kind: 'OrderShipped' } });
    expect(event?.traceparent).toContain(traceId);
    await fixture.cancel(id).expect(409);
    expect(await fixture.ship()).toBe(0);
    expect(await eventsOf(fixture.prisma, id)).toEqual(['OrderCreated', 'OrderShipped']);
  });

  it('does not ship unpaid or cancelled orders, or orders that inventory shipped', async () => {
    await fixture.place();
    const [cancelled, paidLate, shipped] = [await paidOrder(), await fixture.place(), await paidOrder()];
    await fixture.cancel(cancelled).expect(201);
    await fixture.cancel(paidLate).expect(201);
    await fixture.handle(events.OrderPaid(paidLate), events.OrderShipped(shipped));
    expect(await fixture.ship()).toBe(0);
  });

  it('announces nothing if its transaction is rolled back, and ships on the next call', async () => {
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

  it('ships or cancels each order, but never both, if replicas and customers act at the same time', async () => {
    const ids = await Promise.all(Array.from({ length: 30 }, () => paidOrder()));
    const [statuses] = await Promise.all([
      Promise.all(ids.slice(0, 20).map(async (id) => (await fixture.cancel(id)).status)),
      ...Array.from({ length: 8 }, () => fixture.ship(3)),
    ]);
    while ((await fixture.ship(3)) > 0);
    for (const [index, id] of ids.entries()) {
      const outcome = statuses[index] === 201 ? 'OrderCancelled' : 'OrderShipped';
      expect(await eventsOf(fixture.prisma, id)).toEqual(['OrderCreated', outcome]);
    }
  });
});

describe('cancelTimedOut', () => {
  const reason = 'not confirmed in time';

  async function timedOut(): Promise<number> {
    const metric = await register.getSingleMetric('orders_timed_out_total')?.get();
    return metric?.values[0]?.value ?? Number.NaN;
  }

  it('cancels an order that is PENDING for PENDING_TIMEOUT_SECONDS, and not before, and announces it', async () => {
    const id = await fixture.place();
    const before = await timedOut();
    expect(await fixture.dueAt(new Date(deadline.getTime() - 1)).cancelTimedOut(100)).toBe(0);
    expect(await fixture.stateOf(id)).toMatchObject({ status: 'PENDING' });
    expect(await fixture.timeOut()).toBe(1);
    const at = deadline.toISOString();
    expect(await fixture.stateOf(id)).toMatchObject({ status: 'CANCELLED', cancelledAt: at, updatedAt: at });
    expect(await fixture.cancelReasonOf(id)).toBe(reason);
    const payload = { orderId: id, customerId: alice, timestamp: at, reason };
    expect(await payloadOf(id, 'OrderCancelled')).toEqual(payload);
    expect(await fixture.timeOut()).toBe(0);
    expect(await timedOut()).toBe(before + 1);
  });

  it('does not change an order that was confirmed, shipped, cancelled or rejected', async () => {
    const ids = await fixture.placeAll(4);
    const [confirmed = '', shipped = '', cancelled = '', rejected = ''] = ids;
    await fixture.handle(events.OrderPaid(confirmed), events.OrderShipped(shipped), events.StockRejected(rejected));
    await fixture.cancel(cancelled).expect(201);
    const before = await Promise.all(ids.map(fixture.stateOf));
    expect(await fixture.timeOut()).toBe(0);
    expect(await Promise.all(ids.map(fixture.stateOf))).toEqual(before);
  });

  it('cancels each order once if replicas, its owner and its payment are concurrent', async () => {
    const ids = await fixture.placeAll(30);
    await Promise.all([
      ...Array.from({ length: 8 }, () => fixture.timeOut(3)),
      ...ids.slice(0, 10).map((id) => fixture.handle(events.OrderPaid(id))),
      ...ids.slice(10, 20).map((id) => fixture.cancel(id)),
    ]);
    while ((await fixture.timeOut(3)) > 0);
    for (const id of ids) {
      const { status } = await fixture.stateOf(id);
      const announced = status === 'CONFIRMED' ? ['OrderCreated'] : ['OrderCreated', 'OrderCancelled'];
      expect(await eventsOf(fixture.prisma, id)).toEqual(announced);
      expect(status).not.toBe('PENDING');
    }
  });
});

it.each([
  ['ship', 'orders_unshipped_idx'],
  ['cancelTimedOut', 'orders_pending_idx'],
] as const)('%s finds its orders in an index that holds nothing else', async (name, index) => {
  await fixture.prisma.$executeRaw`
    insert into orders (id, account_id, status, total_amount, currency, created_at, updated_at, paid_at, shipped_at)
    select gen_random_uuid(), ${alice}::uuid, 'CONFIRMED', 1, 'USD', ${handledAt}, ${handledAt}, ${handledAt}, ${handledAt}
    from generate_series(1, 5000)`;
  await fixture.prisma.$executeRaw`analyze orders`;
  const statement = await recordedStatement((database) => fixture.dueAt(dueTime, database)[name](100));
  const nodes = await explain(fixture.database, statement);
  expect(nodes.map((node) => node['Index Name'])).toContain(index);
});
