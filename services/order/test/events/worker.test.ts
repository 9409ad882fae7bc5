import { randomUUID } from 'node:crypto';
import { createPublisher } from '@store/shared/messaging/kafkajs/publisher';
import { createLog } from '@store/shared/observability/log';
import { storedEvent } from '../../../../tests/kit/kafka/order-events.ts';
import { brokers, readTopic } from '../../../../tests/kit/kafka/topic.ts';
import { useDatabase } from '../../../../tests/kit/postgres/database.ts';
import { startService } from '../../../../tests/kit/service-process.ts';
import { until } from '../../../../tests/kit/until.ts';
import { alice, as, tea, testApp } from '../_app.ts';
import { whileHolding } from '../orders/_open-transaction.ts';
import { byKey, isAscending, outboxOf } from './_relay.ts';

let workers: Awaited<ReturnType<typeof startService>>[] = [];

afterEach(async () => {
  await Promise.all(workers.map((worker) => worker.end('SIGKILL')));
  workers = [];
});

const database = useDatabase('order', 'each');
const order = database.open(testApp);
const customer = as(alice, order);
const outbox = database.open(outboxOf);
const topic = database.open(() => readTopic('order-events'));

async function start(env: Record<string, string> = {}) {
  const worker = await startService('services/order/src/worker.ts', { DATABASE_URL: database.url, ...env });
  workers.push(worker);
  return worker;
}

const eventIds = async () => (await order.prisma.outbox.findMany({ select: { id: true } })).map(({ id }) => id);

describe('the order worker', () => {
  it('publishes events stored before its start, reports health and metrics, and stops cleanly', async () => {
    const id = await customer.placed();
    await customer.cancel(id).expect(201);
    const worker = await start();
    await topic.has(await eventIds());
    const kinds = topic.messages.filter(({ key }) => key === id).map(({ headers }) => headers.ce_type);
    expect(kinds).toEqual(['OrderCreated', 'OrderCancelled']);

    await worker.ready();
    expect(await worker.get('/health/live')).toEqual({ status: 200, body: { status: 'UP' } });
    expect((await worker.get('/orders')).status).toBe(404);
    await until('all events are marked as sent', async () => (await outbox.unsent()) === 0);
    const metrics = await worker.metrics();
    expect(metrics).toContain('outbox_relay_active 1');
    expect(metrics).toContain('outbox_published_total 2');
    expect(await worker.end('SIGTERM')).toEqual([0, null]);
  });

  it('moves orders by the events on order-events', async () => {
    const [confirmed, cancelled] = [await customer.placed(), await customer.placed()];
    await start();
    const about = { customerId: alice, items: [{ productId: tea, quantity: 1 }] };
    const publisher = createPublisher({ brokers, clientId: 'test', log: createLog('test', 'silent') });
    await publisher.publish('order-events', [
      storedEvent('OrderPaid', {
        orderId: confirmed,
        customerId: alice,
        paymentId: randomUUID(),
        amount: { amount: 4.5, currency: 'USD' },
      }),
      storedEvent('StockRejected', { ...about, orderId: cancelled }),
    ]);
    await publisher.close();
    const statusOf = async (id: string) => (await order.prisma.order.findUnique({ where: { id } }))?.status;
    await until('one order is confirmed', async () => (await statusOf(confirmed)) === 'CONFIRMED');
    await until('the other order is cancelled', async () => (await statusOf(cancelled)) === 'CANCELLED');
  });

  it('killed between publishing and marking loses no event and keeps the order of each key', async () => {
    const ids = await outbox.fill(12_000);
    const stuck = ids[9_000] ?? '';
    // The relay cannot mark the locked row, so it hangs after it has published a batch in the middle.
    await whileHolding(database.url, 'select id from outbox where id = $1 for update', [stuck], async () => {
      const first = await start();
      await topic.has([stuck]);
      const sent = await outbox.sent();
      expect(sent).toBeGreaterThan(0);
      expect(sent).toBeLessThan(9_000);
      expect(await first.end('SIGKILL')).toEqual([null, 'SIGKILL']);
      await outbox.cutRelays(); // or the database would still run the update that the killed relay had sent
      await until('the connection of the killed relay is closed', async () => (await outbox.cutRelays()) === 0);
    });

    await start();
    await topic.has(ids);
    await until('all events are marked as sent', async () => (await outbox.unsent()) === 0);
    const ours = topic.messages.filter(({ headers }) => ids.includes(headers.ce_id ?? ''));
    expect(ours.length).toBeGreaterThan(ids.length); // unmarked events were published twice
    expect(byKey(ours).flat()).toHaveLength(ids.length);
    expect(byKey(ours).every(isAscending)).toBe(true);
  });

  it('publishes alone, and another one takes over when it is killed', async () => {
    const first = await start();
    await until('the first is active', first.isActive);
    const second = await start();
    await second.ready();
    const ids = await outbox.fill(1_000);
    await topic.has(ids);
    const ours = topic.messages.filter(({ headers }) => ids.includes(headers.ce_id ?? ''));
    expect(ours).toHaveLength(ids.length);
    expect(byKey(ours).every(isAscending)).toBe(true);
    expect(await first.metrics()).toContain('outbox_relay_active 1');
    expect(await second.metrics()).toContain('outbox_relay_active 0');
    expect(await second.metrics()).toContain('outbox_published_total 0');

    await first.end('SIGKILL');
    await until('the other one is active', second.isActive, { timeoutMs: 20_000 });
    await customer.placed();
    await topic.has(await eventIds());
  });
});
