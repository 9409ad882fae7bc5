import { createLog } from '@store/shared/observability/log';
import { createTestDatabase, type TestDatabase } from '../../../tests/kit/database.ts';
import { until } from '../../../tests/kit/until.ts';
import { createShipper } from '../src/shipper.ts';
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

const forward = (ms: number) => {
  now = new Date(now.getTime() + ms);
};

async function paidOrder(traceparent?: string) {
  const order = orderOf([await inventory.setStock(1), 1]);
  await inventory.take(order.created());
  await inventory.take({ ...order.paid(), ...(traceparent !== undefined && { traceparent }) });
  return order;
}

it('ships when the time after the payment has passed, and not a moment before', async () => {
  const traceId = '0af7651916cd43dd8448eb211c80319c';
  const order = await paidOrder(`00-${traceId}-b7ad6b7169203331-01`);
  forward(59_999);
  expect(await inventory.reservations.shipDue(100)).toBe(0);
  expect(await inventory.statusOf(order.orderId)).toBe('RESERVED');
  forward(1);
  expect(await inventory.reservations.shipDue(100)).toBe(1);
  const { shipmentId, status } = await inventory.prisma.reservation.findUniqueOrThrow({
    where: { orderId: order.orderId },
  });
  expect(status).toBe('SHIPPED');
  const event = (await inventory.eventsOf(order.orderId)).at(-1);
  expect(event).toEqual({
    kind: 'OrderShipped',
    payload: { orderId: order.orderId, customerId: alice, timestamp: now.toISOString(), shipmentId },
    traceparent: expect.stringContaining(traceId), // the trace goes on
  });
  expect(await inventory.reservations.shipDue(100)).toBe(0);
});

it('a second payment event does not put the shipment off', async () => {
  const order = await paidOrder();
  forward(30_000);
  await inventory.take(order.paid());
  forward(30_000);
  expect(await inventory.reservations.shipDue(100)).toBe(1);
});

it('ships neither what is not paid nor what was cancelled', async () => {
  const unpaid = orderOf([await inventory.setStock(1), 1]);
  await inventory.take(unpaid.created());
  const cancelled = await paidOrder();
  await inventory.take(cancelled.cancelled());
  forward(3_600_000);
  expect(await inventory.reservations.shipDue(100)).toBe(0);
});

it('steps over what somebody else is just changing, and ships it later', async () => {
  const [held, free] = [await paidOrder(), await paidOrder()];
  forward(60_000);
  await inventory.prisma.$transaction(async (tx) => {
    await tx.$queryRaw`select from reservations where order_id = ${held.orderId}::uuid for update`;
    expect(await inventory.reservations.shipDue(100)).toBe(1);
    expect(await inventory.statusOf(free.orderId)).toBe('SHIPPED');
  });
  expect(await inventory.reservations.shipDue(100)).toBe(1);
  expect(await inventory.statusOf(held.orderId)).toBe('SHIPPED');
});

it('several shippers and cancellations at once: each order is shipped at most once, and no stock is lost', async () => {
  const orders = await Promise.all(Array.from({ length: 20 }, () => paidOrder()));
  forward(60_000);
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

describe('the loop', () => {
  const shippers: { stop(): unknown }[] = [];
  afterEach(() => Promise.all(shippers.splice(0).map((shipper) => shipper.stop())));

  function start(shipDue: (limit: number) => Promise<number>) {
    const shipper = createShipper(shipDue).start(createLog('inventory', 'silent'));
    shippers.push(shipper);
    return shipper;
  }

  it('ships by itself, more than go at once and what becomes due later', async () => {
    await inventory.prisma.$executeRaw`
      insert into reservations (order_id, customer_id, status, items, ship_at, created_at, updated_at)
      select gen_random_uuid(), ${alice}::uuid, 'RESERVED', '[]', ${now}, ${now}, ${now} from generate_series(1, 250)`;
    start(inventory.reservations.shipDue);
    const shipped = () => inventory.prisma.reservation.count({ where: { status: 'SHIPPED' } });
    await until('all are shipped', async () => (await shipped()) === 250);
    const late = await paidOrder();
    forward(60_000);
    await until('the late one too', async () => (await inventory.statusOf(late.orderId)) === 'SHIPPED');
  });

  it('goes on after a failure', async () => {
    let calls = 0;
    start(async () => {
      calls += 1;
      if (calls === 1) throw new Error('away');
      return 0;
    });
    await until('it tries again', () => calls > 1);
  });

  it('stops at once where it waits, and after what is under way', async () => {
    let finish = () => {};
    let isDone = false;
    const shipper = start(async () => {
      await new Promise<void>((resolve) => {
        finish = resolve;
      });
      isDone = true;
      return 100;
    });
    const stopped = shipper.stop();
    finish();
    await stopped;
    expect(isDone).toBe(true);
  });
});
