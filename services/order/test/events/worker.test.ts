import { randomUUID } from 'node:crypto';
import { createPublisher } from '@store/shared/messaging/kafka';
import { createLog } from '@store/shared/observability/log';
import request from 'supertest';
import { createTestDatabase, type TestDatabase, unreachableDatabaseUrl } from '../../../../tests/kit/database.ts';
import { storedEvent } from '../../../../tests/kit/order-events.ts';
import { startService } from '../../../../tests/kit/service-process.ts';
import { brokers, readTopic } from '../../../../tests/kit/topic.ts';
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

it('publishes what was stored while no worker ran, is healthy meanwhile, and ends cleanly', async () => {
  const id = await placed();
  await request(order.app).post(`/orders/${id}/cancellation`).set('id-account', alice).expect(201);
  const worker = await start();
  await topic.has(await eventIds());
  const kinds = topic.messages.filter(({ key }) => key === id).map(({ headers }) => headers.ce_type);
  expect(kinds).toEqual(['OrderCreated', 'OrderCancelled']);

  await until('it is ready', async () => (await worker.get('/health/ready')).status === 200);
  expect(await worker.get('/health/live')).toEqual({ status: 200, body: { status: 'UP' } });
  expect((await worker.get('/orders')).status).toBe(404);
  await until('all are marked', async () => (await outbox.unsent()) === 0);
  const metrics = await worker.metrics();
  expect(metrics).toContain('outbox_relay_active 1');
  expect(metrics).toContain('outbox_published_total 2');
  expect(await worker.end('SIGTERM')).toEqual([0, null]);
});

it('takes the steps of the saga that order-events tells', async () => {
  const [confirmed, cancelled] = [await placed(), await placed()];
  await start();
  const about = { customerId: alice, items: [{ productId: tea, quantity: 1 }] };
  const publisher = createPublisher({ brokers, clientId: 'test', log: createLog('test', 'silent') });
  await publisher.publish('order-events', [
    storedEvent('OrderPaid', {
      ...{ orderId: confirmed, customerId: alice, paymentId: randomUUID() },
      amount: { amount: 4.5, currency: 'USD' },
    }),
    storedEvent('StockRejected', { ...about, orderId: cancelled }),
  ]);
  await publisher.close();
  const statusOf = async (id: string) => (await order.prisma.order.findUnique({ where: { id } }))?.status;
  await until('one is confirmed', async () => (await statusOf(confirmed)) === 'CONFIRMED');
  await until('the other is cancelled', async () => (await statusOf(cancelled)) === 'CANCELLED');
});

it('killed -9 between publishing and marking: every event is out, those of a key in order', async () => {
  const ids = await outbox.fill(3_000);
  const stuck = ids[1_200] ?? '';
  // The relay cannot mark this one: it gets stuck behind the publishing of a batch in the middle.
  await whileHolding(database.url, 'select id from outbox where id = $1 for update', [stuck], async () => {
    const first = await start();
    await topic.has([stuck]);
    const sent = await outbox.sent();
    expect(sent).toBeGreaterThan(0);
    expect(sent).toBeLessThan(1_200);
    expect(await first.end('SIGKILL')).toEqual([null, 'SIGKILL']);
    await outbox.cutRelays(); // or the database would still mark what it was asked to before the kill
    await until('the dead connection is gone', async () => (await outbox.cutRelays()) === 0);
  });

  await start();
  await topic.has(ids);
  await until('all are marked', async () => (await outbox.unsent()) === 0);
  const ours = topic.messages.filter(({ headers }) => ids.includes(headers.ce_id ?? ''));
  expect(ours.length).toBeGreaterThan(ids.length); // what was not marked went out twice
  expect(byKey(ours).flat()).toHaveLength(ids.length);
  expect(byKey(ours).every(isAscending)).toBe(true);
});

it('of two workers one publishes, and the other takes over when that one is killed -9', async () => {
  const both = [await start(), await start()];
  await until('one is active', () => both.some((worker) => worker.isActive()));
  const active = both.find((worker) => worker.isActive());
  const standby = both.find((worker) => worker !== active);
  await until(
    'the other is ready',
    async () => (await standby?.get('/health/ready').catch(() => undefined))?.status === 200,
  );
  await placed();
  await topic.has(await eventIds());
  expect(standby?.isActive()).toBe(false);
  expect(await standby?.metrics()).toContain('outbox_relay_active 0');

  await active?.end('SIGKILL');
  await placed();
  await topic.has(await eventIds());
  expect(standby?.isActive()).toBe(true);
});

it('forgets Idempotency-Keys that are older than 24 hours', async () => {
  await order.prisma.$executeRaw`
    insert into idempotency_keys (account_id, key, request_hash, location, body, created_at)
    select ${alice}::uuid, n::text, '', '', '', now() - n * interval '5 hours' from generate_series(0, 9) as n`;
  await start();
  await until('the old ones are gone', async () => (await order.prisma.idempotencyKey.count()) === 5);
});

it('waits for a database that is away: alive, not ready, and saying so', async () => {
  const worker = await start({ DATABASE_URL: unreachableDatabaseUrl });
  await worker.logs('Waiting for what is needed to start');
  expect((await worker.get('/health/live')).status).toBe(200);
  expect(await worker.get('/health/ready')).toEqual({
    status: 503,
    body: { status: 'DOWN', waitingFor: expect.arrayContaining(['starting', 'database']) },
  });
  expect(await worker.end('SIGTERM')).toEqual([0, null]);
});

it('refuses to start without its settings, and names each', async () => {
  const worker = await start({ DATABASE_URL: '', KAFKA_BROKERS: 'nowhere' });
  expect(await worker.exit).toEqual([1, null]);
  expect(worker.lines.join('\n')).toContain('DATABASE_URL is not set');
  expect(worker.lines.join('\n')).toContain('KAFKA_BROKERS: must be host:port, comma-separated');
});
