import { createLog } from '@store/shared/observability/log';
import { createShipper } from '@store/shared/service/polling';
import { createTestDatabase, type TestDatabase } from '../../../tests/kit/database.ts';
import { deferred } from '../../../tests/kit/deferred.ts';
import { until } from '../../../tests/kit/until.ts';
import { alice, orderOf, type TestInventory, testInventory } from './_inventory.ts';

let database: TestDatabase;
let inventory: TestInventory;
let now: Date;

beforeEach(async () => {
  database = await createTestDatabase('inventory');
  now = new Date('2026-03-01T12:00:00.000Z');
  inventory = testInventory(database.url, { clock: () => now });
});

afterEach(async () => {
  await inventory.close();
  await database.drop();
});

const advance = (ms: number) => {
  now = new Date(now.getTime() + ms);
};

async function paidOrder(traceparent?: string) {
  const order = orderOf([await inventory.setStock(1), 1]);
  await inventory.take(order.created());
  await inventory.take({ ...order.paid(), ...(traceparent !== undefined && { traceparent }) });
  return order;
}

test('shipDue ships a paid order after SHIP_AFTER_SECONDS and not before', async () => {
  const traceId = '0af7651916cd43dd8448eb211c80319c';
  const order = await paidOrder(`00-${traceId}-b7ad6b7169203331-01`);
  advance(59_999);
  expect(await inventory.reservations.shipDue(100)).toBe(0);
  expect(await inventory.statusOf(order.orderId)).toBe('RESERVED');
  advance(1);
  expect(await inventory.reservations.shipDue(100)).toBe(1);
  const { shipmentId, status } = await inventory.prisma.reservation.findUniqueOrThrow({
    where: { orderId: order.orderId },
  });
  expect(status).toBe('SHIPPED');
  const event = (await inventory.eventsOf(order.orderId)).at(-1);
  expect(event).toEqual({
    kind: 'OrderShipped',
    payload: { orderId: order.orderId, customerId: alice, timestamp: now.toISOString(), shipmentId },
    traceparent: expect.stringContaining(traceId),
  });
  expect(await inventory.reservations.shipDue(100)).toBe(0);
});

test('a repeated OrderPaid does not postpone the shipment', async () => {
  const order = await paidOrder();
  advance(30_000);
  await inventory.take(order.paid());
  advance(30_000);
  expect(await inventory.reservations.shipDue(100)).toBe(1);
});

test('shipDue ships neither unpaid nor cancelled orders', async () => {
  const unpaid = orderOf([await inventory.setStock(1), 1]);
  await inventory.take(unpaid.created());
  const cancelled = await paidOrder();
  await inventory.take(cancelled.cancelled());
  advance(3_600_000);
  expect(await inventory.reservations.shipDue(100)).toBe(0);
});

test('shipDue skips locked reservations and ships them later', async () => {
  const [held, free] = [await paidOrder(), await paidOrder()];
  advance(60_000);
  await inventory.prisma.$transaction(async (tx) => {
    await tx.$queryRaw`select from reservations where order_id = ${held.orderId}::uuid for update`;
    expect(await inventory.reservations.shipDue(100)).toBe(1);
    expect(await inventory.statusOf(free.orderId)).toBe('SHIPPED');
  });
  expect(await inventory.reservations.shipDue(100)).toBe(1);
  expect(await inventory.statusOf(held.orderId)).toBe('SHIPPED');
});

test('concurrent shippers and cancellations ship each order at most once and lose no stock', async () => {
  const orders = await Promise.all(Array.from({ length: 20 }, () => paidOrder()));
  advance(60_000);
  await Promise.all([
    ...Array.from({ length: 8 }, () => inventory.reservations.shipDue(3)),
    ...orders.slice(0, 10).map((order) => inventory.take(order.cancelled())),
  ]);
  while ((await inventory.reservations.shipDue(3)) > 0);
  for (const [index, { orderId, items }] of orders.entries()) {
    const kinds = await inventory.kindsOf(orderId);
    const left = await inventory.available(items[0]?.productId ?? '');
    if (index >= 10) expect([kinds, left]).toEqual([['StockReserved', 'OrderShipped'], 0]);
    else {
      expect([kinds.filter((kind) => kind !== 'OrderShipped'), left]).toEqual([['StockReserved', 'StockReleased'], 1]);
      expect(kinds.at(-1)).toBe('StockReleased');
    }
  }
});

describe('shipper loop', () => {
  const shippers: { stop(): unknown }[] = [];
  afterEach(() => Promise.all(shippers.splice(0).map((shipper) => shipper.stop())));

  function start(shipDue: (limit: number) => Promise<number>) {
    const shipper = createShipper(shipDue).start(createLog('inventory', 'silent'));
    shippers.push(shipper);
    return shipper;
  }

  it('ships more orders than one batch holds, and those that become due later', async () => {
    await inventory.prisma.$executeRaw`
      insert into reservations (order_id, customer_id, status, items, ship_at, created_at, updated_at)
      select gen_random_uuid(), ${alice}::uuid, 'RESERVED', '[]', ${now}, ${now}, ${now} from generate_series(1, 250)`;
    start(inventory.reservations.shipDue);
    const shipped = () => inventory.prisma.reservation.count({ where: { status: 'SHIPPED' } });
    await until('all orders are shipped', async () => (await shipped()) === 250);
    const later = await paidOrder();
    advance(60_000);
    await until('the later order is shipped', async () => (await inventory.statusOf(later.orderId)) === 'SHIPPED');
  });

  it('continues after a failure', async () => {
    let calls = 0;
    start(async () => {
      calls += 1;
      if (calls === 1) throw new Error('unavailable');
      return 0;
    });
    await until('the shipper tries again', () => calls > 1);
  });

  it('stops after the batch in flight', async () => {
    const { promise: released, resolve: release } = deferred();
    let isDone = false;
    const shipper = start(async () => {
      await released;
      isDone = true;
      return 100;
    });
    const stopped = shipper.stop();
    release();
    await stopped;
    expect(isDone).toBe(true);
  });
});
