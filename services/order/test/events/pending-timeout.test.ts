import { register } from 'prom-client';
import { alice, eventsOf } from '../_app.ts';
import { createFixture, events, eventTime, type Fixture, pendingTimeoutMs, placedAt } from './_saga.ts';

let fixture: Fixture;

beforeEach(async () => {
  fixture = await createFixture();
});
afterEach(() => fixture.close());

const deadline = new Date(placedAt.getTime() + pendingTimeoutMs);
const reason = 'not confirmed in time';

async function timedOut(): Promise<number> {
  const metric = await register.getSingleMetric('orders_timed_out_total')?.get();
  return metric?.values[0]?.value ?? Number.NaN;
}

it('cancels an order that is PENDING for PENDING_TIMEOUT_SECONDS, and not before, and announces it', async () => {
  const id = await fixture.place();
  const before = await timedOut();
  expect(await fixture.dueAt(new Date(deadline.getTime() - 1)).cancelPending(100)).toBe(0);
  expect(await fixture.stateOf(id)).toMatchObject({ status: 'PENDING' });
  expect(await fixture.timeOut()).toBe(1);
  const at = deadline.toISOString();
  expect(await fixture.stateOf(id)).toMatchObject({ status: 'CANCELLED', cancelledAt: at, updatedAt: at });
  expect(await fixture.cancelReasonOf(id)).toBe(reason);
  const [event] = await fixture.prisma.outbox.findMany({ where: { key: id, kind: 'OrderCancelled' } });
  expect(JSON.parse(event?.payload ?? '')).toEqual({ orderId: id, customerId: alice, timestamp: at, reason });
  expect(await fixture.timeOut()).toBe(0);
  expect(await timedOut()).toBe(before + 1);
});

it('leaves an order that was confirmed, shipped, cancelled or rejected', async () => {
  const ids = [await fixture.place(), await fixture.place(), await fixture.place(), await fixture.place()] as const;
  const [confirmed, shipped, cancelled, rejected] = ids;
  await fixture.handle(events.OrderPaid(confirmed), events.OrderShipped(shipped), events.StockRejected(rejected));
  await fixture.cancel(cancelled).expect(201);
  const before = await Promise.all(ids.map(fixture.stateOf));
  expect(await fixture.timeOut()).toBe(0);
  expect(await Promise.all(ids.map(fixture.stateOf))).toEqual(before);
});

it('stays cancelled when it is paid afterwards, and does not ship', async () => {
  const id = await fixture.place();
  await fixture.timeOut();
  await fixture.handle(events.OrderPaid(id), events.StockReleased(id));
  expect(await fixture.stateOf(id)).toMatchObject({ status: 'CANCELLED', paidAt: eventTime.toISOString() });
  expect(await fixture.ship()).toBe(0);
  expect(await eventsOf(fixture.prisma, id)).toEqual(['OrderCreated', 'OrderCancelled']);
});

it('cancels each order once when replicas, its owner and its payment are concurrent', async () => {
  const ids = await Promise.all(Array.from({ length: 30 }, fixture.place));
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

it('looks for pending orders in an index that holds nothing else', async () => {
  await fixture.prisma.$executeRaw`
    insert into orders (id, account_id, status, total_amount, currency, created_at, updated_at)
    select gen_random_uuid(), ${alice}::uuid, 'CONFIRMED', 1, 'USD', ${placedAt}, ${placedAt} from generate_series(1, 5000)`;
  await fixture.prisma.$executeRawUnsafe('analyze orders');
  const plan = await fixture.prisma.$queryRaw<Record<string, string>[]>`
    explain select id from orders where status = 'PENDING' and shipped_at is null and created_at <= ${deadline}
    order by created_at limit 100 for update skip locked`;
  expect(JSON.stringify(plan)).toContain('Index Scan using orders_pending_idx');
});
