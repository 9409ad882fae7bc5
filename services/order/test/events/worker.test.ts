import { randomUUID } from 'node:crypto';
import { createPublisher } from '@store/shared/messaging/kafkajs/publisher';
import { createLog } from '@store/shared/observability/log';
import request from 'supertest';
import { storedEvent } from '../../../../tests/kit/kafka/order-events.ts';
import { brokers, readTopic } from '../../../../tests/kit/kafka/topic.ts';
import {
  createTestDatabase,
  type TestDatabase,
  unreachableDatabaseUrl,
} from '../../../../tests/kit/postgres/database.ts';
import { startService } from '../../../../tests/kit/service-process.ts';
import { until } from '../../../../tests/kit/until.ts';
import { alice, tea, testApp } from '../_app.ts';
import { whileHolding } from '../orders/_open-transaction.ts';
import { byKey, isAscending, outboxOf } from './_outbox.ts';

let database: TestDatabase;
let order: ReturnType<typeof testApp>;
let outbox: ReturnType<typeof outboxOf>;
let topic: Awaited<ReturnType<typeof readTopic>>;
let workers: Awaited<ReturnType<typeof startService>>[] = [];

beforeEach(async () => {
  database = await createTestDatabase('order');
  order = testApp(database.url);
  outbox = outboxOf(database.url);
  topic = await readTopic('order-events');
  workers = [];
});

afterEach(async () => {
  await Promise.all(workers.map((worker) => worker.end('SIGKILL')));
  await Promise.all([topic.close(), outbox.close(), order.close()]);
  await database.drop();
});

async function start(env: Record<string, string> = {}) {
  const worker = await startService('services/order/src/worker.ts', { DATABASE_URL: database.url, ...env });
  workers.push(worker);
  return worker;
}

async function placed(): Promise<string> {
  const items = [{ productId: tea, quantity: 1 }];
  const response = await request(order.app).post('/orders').set('id-account', alice).send({ items });
  return response.body.id;
}

const eventIds = async () => (await order.prisma.outbox.findMany({ select: { id: true } })).map(({ id }) => id);

test('order worker publishes events stored before its start, reports health and metrics, and stops cleanly', async () => {
  const id = await placed();
  await request(order.app).post(`/orders/${id}/cancellation`).set('id-account', alice).expect(201);
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

test('order worker moves orders by the events on order-events', async () => {
  const [confirmed, cancelled] = [await placed(), await placed()];
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

test('order worker killed between publishing and marking loses no event and keeps the order of each key', async () => {
  const ids = await outbox.fill(3_000);
  const stuck = ids[1_200] ?? '';
  // The relay cannot mark the locked row, so it hangs after it has published a batch in the middle.
  await whileHolding(database.url, 'select id from outbox where id = $1 for update', [stuck], async () => {
    const first = await start();
    await topic.has([stuck]);
    const sent = await outbox.sent();
    expect(sent).toBeGreaterThan(0);
    expect(sent).toBeLessThan(1_200);
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

test('two order workers share the outbox, and one takes over when the other is killed', async () => {
  const [first, second] = [await start(), await start()];
  for (const worker of [first, second]) {
    await until('the worker holds half of the shares', async () => {
      const metrics = await worker.metrics();
      return metrics.includes('outbox_relay_active 1') && metrics.includes('outbox_relay_shares 4');
    });
  }
  const ids = await outbox.fill(1_000);
  await topic.has(ids);
  const ours = topic.messages.filter(({ headers }) => ids.includes(headers.ce_id ?? ''));
  expect(ours).toHaveLength(ids.length);
  expect(byKey(ours).every(isAscending)).toBe(true);
  for (const worker of [first, second]) expect(await worker.metrics()).not.toContain('outbox_published_total 0');

  await first.end('SIGKILL');
  const killedAt = Date.now();
  await until('the other one holds all shares', async () => String(await outbox.shares()) === '8');
  expect(Date.now() - killedAt).toBeLessThan(2_000);
  await placed();
  await topic.has(await eventIds());
});

test('order worker cancels what stays PENDING, announces and counts it', async () => {
  const id = await placed();
  const worker = await start({ PENDING_TIMEOUT_SECONDS: '1' });
  await until(
    'the order is cancelled',
    async () => (await order.prisma.order.count({ where: { status: 'CANCELLED' } })) === 1,
  );
  await topic.has(await eventIds());
  const kinds = topic.messages.filter(({ key }) => key === id).map(({ headers }) => headers.ce_type);
  expect(kinds).toEqual(['OrderCreated', 'OrderCancelled']);
  await until('it is counted', async () => (await worker.metrics()).includes('orders_timed_out_total 1'));
});

test('order worker deletes Idempotency-Keys older than 24 hours', async () => {
  await order.prisma.$executeRaw`
    insert into idempotency_keys (account_id, key, request_hash, location, body, created_at)
    select ${alice}::uuid, n::text, '', '', '', now() - n * interval '5 hours' from generate_series(0, 9) as n`;
  await start();
  await until('the expired keys are deleted', async () => (await order.prisma.idempotencyKey.count()) === 5);
});

test('order worker without its database is live, not ready, and logs the cause', async () => {
  const worker = await start({ DATABASE_URL: unreachableDatabaseUrl });
  await worker.logs('Waiting for the database');
  expect((await worker.get('/health/live')).status).toBe(200);
  expect(await worker.get('/health/ready')).toEqual({
    status: 503,
    body: { status: 'DOWN', waitingFor: expect.arrayContaining(['starting', 'database']) },
  });
  expect(await worker.end('SIGTERM')).toEqual([0, null]);
});

test('order worker without Kafka is live, not ready, and logs the cause', async () => {
  const worker = await start({ KAFKA_BROKERS: '127.0.0.1:1' });
  await worker.logs('The broker is unavailable, the consumer waits');
  expect((await worker.get('/health/live')).status).toBe(200);
  expect(await worker.get('/health/ready')).toEqual({ status: 503, body: { status: 'DOWN', waitingFor: ['kafka'] } });
  expect(await worker.end('SIGTERM')).toEqual([0, null]);
});

test('order worker names every invalid setting and does not start', async () => {
  const worker = await start({
    DATABASE_URL: '',
    KAFKA_BROKERS: 'nowhere',
    SHIP_AFTER_SECONDS: '1m',
    PENDING_TIMEOUT_SECONDS: '0',
  });
  expect(await worker.exit).toEqual([1, null]);
  expect(worker.lines.join('\n')).toContain('DATABASE_URL is not set');
  expect(worker.lines.join('\n')).toContain('KAFKA_BROKERS: must be host:port, comma-separated');
  for (const name of ['SHIP_AFTER_SECONDS', 'PENDING_TIMEOUT_SECONDS']) expect(worker.lines.join('\n')).toContain(name);
});
