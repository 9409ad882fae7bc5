import { randomUUID } from 'node:crypto';
import { once } from 'node:events';
import { createServer, type Server } from 'node:http';
import type { AddressInfo } from 'node:net';
import type { StoredEvent } from '@store/shared/messaging/events';
import { createKafka, createPublisher } from '@store/shared/messaging/kafka';
import { createLog } from '@store/shared/observability/log';
import { createTestDatabase, type TestDatabase, unreachableDatabaseUrl } from '../../../tests/kit/database.ts';
import { startService } from '../../../tests/kit/service-process.ts';
import { brokers, readTopic } from '../../../tests/kit/topic.ts';
import { until } from '../../../tests/kit/until.ts';
import { orderOf, type TestInventory, testInventory, unknown } from './_inventory.ts';

const entry = 'services/inventory/src/main.ts';
const kafkaOptions = { brokers, clientId: 'inventory-test', log: createLog('test', 'silent') };
const publisher = createPublisher(kafkaOptions);

let database: TestDatabase;
let inventory: TestInventory;
let products: Server;
let productsUnavailable = false;
let topic: Awaited<ReturnType<typeof readTopic>>;
let deadLetters: Awaited<ReturnType<typeof readTopic>>;
let service: Awaited<ReturnType<typeof startService>>;

/** What other tests have left on the topic is none of this one's business. */
async function startAtTheEnd(): Promise<void> {
  const admin = createKafka(kafkaOptions).admin();
  await admin.connect();
  const ends = await admin.fetchTopicOffsets('order-events');
  await admin.setOffsets({
    groupId: 'inventory-group',
    topic: 'order-events',
    partitions: ends.map(({ partition, high }) => ({ partition, offset: high })),
  });
  await admin.disconnect();
}

const start = (env: Record<string, string> = {}) =>
  startService(entry, {
    DATABASE_URL: database.url,
    PRODUCT_URL: `http://127.0.0.1:${(products.address() as AddressInfo).port}`,
    SHIP_AFTER_SECONDS: '1',
    ...env,
  });

beforeAll(async () => {
  database = await createTestDatabase('inventory');
  inventory = testInventory(database.url);
  products = createServer((req, res) => {
    const ids = new URL(req.url ?? '', 'http://products').searchParams.getAll('id');
    if (productsUnavailable) res.writeHead(503);
    res.end(JSON.stringify(ids.filter((id) => id !== unknown).map((id) => ({ id }))));
  });
  await once(products.listen(0, '127.0.0.1'), 'listening');
  [topic, deadLetters] = await Promise.all([readTopic('order-events'), readTopic('order-events-dlq')]);
  await startAtTheEnd();
  service = await start();
});

afterAll(async () => {
  await service.end('SIGKILL');
  products.closeAllConnections();
  products.close();
  await Promise.all([topic.close(), deadLetters.close(), publisher.close(), inventory.close()]);
  await database.drop();
});

const publish = (...events: StoredEvent[]) => publisher.publish('order-events', events);
const published = (orderId: string) =>
  topic.messages.filter(({ key, headers }) => key === orderId && headers.ce_source === '/store/inventory');
/** Other suites' services may answer our orders too, on the same topic: so a test asks for the kinds that it is about. */
const ofKind = (orderId: string, kind: string) => published(orderId).filter(({ headers }) => headers.ce_type === kind);
const says = (orderId: string, kind: string) =>
  until(`${kind} is on the topic`, () => ofKind(orderId, kind).length > 0);
const letterOf = (orderId: string) => deadLetters.messages.find(({ key }) => key === orderId);

it('OrderCreated in, StockReserved out; paid, it is shipped; all in one trace', async () => {
  const tea = randomUUID();
  const order = orderOf([tea, 3]);
  const traceId = randomUUID().replaceAll('-', '');
  const traceparent = `00-${traceId}-b7ad6b7169203331-01`;
  const event = { ...order.created(), traceparent };
  await publish(event, event);
  await says(order.orderId, 'StockReserved');
  await publish({ ...order.paid(), traceparent });
  await says(order.orderId, 'OrderShipped');
  expect(published(order.orderId).map(({ headers }) => [headers.ce_type, headers.traceparent?.split('-')[1]])).toEqual([
    ['StockReserved', traceId],
    ['OrderShipped', traceId],
  ]);
  expect(JSON.parse(published(order.orderId)[0]?.value ?? '')).toMatchObject({ items: order.items });
  expect(await service.get(`/stock/${tea}`)).toEqual({ status: 200, body: { productId: tea, available: 997 } });
  expect((await service.get('/health/ready')).status).toBe(200);
  const metrics = await service.metrics();
  expect(metrics).toContain('outbox_relay_active 1');
  expect(metrics).toMatch(/consumer_messages_total\{group="inventory-group",result="duplicate"\} [1-9]/);
});

it('compensates: not paid, or cancelled, the stock is released', async () => {
  const tea = await inventory.setStock(10);
  const [unpaid, cancelled] = [orderOf([tea, 3]), orderOf([tea, 4])];
  await publish(unpaid.created(), cancelled.created());
  await Promise.all([unpaid, cancelled].map(({ orderId }) => says(orderId, 'StockReserved')));
  await publish(unpaid.unpaid(), cancelled.cancelled('too late'));
  await Promise.all([unpaid, cancelled].map(({ orderId }) => says(orderId, 'StockReleased')));
  expect(JSON.parse(ofKind(cancelled.orderId, 'StockReleased')[0]?.value ?? '')).toMatchObject({ reason: 'too late' });
  expect(await inventory.available(tea)).toBe(10);
});

it('two orders race for the last piece: one has it', async () => {
  const tea = await inventory.setStock(1);
  const orders = [orderOf([tea, 1]), orderOf([tea, 1])];
  await publish(...orders.map((order) => order.created()));
  const answers = () =>
    ['StockRejected', 'StockReserved'].flatMap((kind) => orders.flatMap(({ orderId }) => ofKind(orderId, kind)));
  await until('both are answered', () => answers().length === 2);
  expect(answers().map(({ headers }) => headers.ce_type)).toEqual(['StockRejected', 'StockReserved']);
});

it('an unknown product, a missing field and bad JSON go to the dead letters at once; what is behind them is handled', async () => {
  const tea = await inventory.setStock(10);
  const [stranger, headless, broken] = [orderOf([tea, 1], [unknown, 1]), orderOf([tea, 1]), orderOf([tea, 1])];
  const good = orderOf([tea, 1]);
  // All under one key, so that the good one stands behind the bad ones.
  const events = [
    stranger.created(),
    headless.created({ total: undefined }),
    { ...broken.created(), payload: '{"orderId":' },
    good.created(),
  ];
  await publish(...events.map((event) => ({ ...event, key: stranger.orderId })));
  await says(good.orderId, 'StockReserved');
  const lettersOf = () => deadLetters.messages.filter(({ key }) => key === stranger.orderId);
  const ours = () => lettersOf().filter(({ headers }) => headers.dlq_group === 'inventory-group');
  await until('the dead letters are there', () => ours().length === 3);
  expect(ours().map(({ headers }) => headers.dlq_attempts)).toEqual(['1', '1', '1']);
  expect(ours()[0]?.headers.dlq_error).toBe(`There is no product ${unknown}.`);
  expect(ours()[0]?.value).toBe(events[0]?.payload);
  expect(await inventory.available(tea)).toBe(9);
});

it('a product service that is away stops what needs it, without a dead letter, until it is back', async () => {
  productsUnavailable = true;
  const order = orderOf([randomUUID(), 1]);
  await publish(order.created());
  await until('it waits', () => service.lines.some((line) => line.includes('is away') && line.includes('product')));
  expect(published(order.orderId)).toEqual([]);
  productsUnavailable = false;
  await says(order.orderId, 'StockReserved');
  expect(letterOf(order.orderId)).toBeUndefined();
});

it('ends cleanly, and begins again where it ended', async () => {
  expect(await service.end('SIGTERM')).toEqual([0, null]);
  const order = orderOf([randomUUID(), 1]);
  await publish(order.created());
  service = await start();
  await says(order.orderId, 'StockReserved');
  expect(ofKind(order.orderId, 'StockReserved')).toHaveLength(1);
});

it('waits for a database that is away: alive, not ready', async () => {
  const waiting = await start({ DATABASE_URL: unreachableDatabaseUrl });
  await waiting.logs('Waiting for what is needed to start');
  expect((await waiting.get('/health/live')).status).toBe(200);
  expect((await waiting.get('/health/ready')).status).toBe(503);
  expect(await waiting.end('SIGTERM')).toEqual([0, null]);
});

it('refuses to start without its settings, and names each', async () => {
  const env = { DATABASE_URL: '', KAFKA_BROKERS: 'nowhere', PRODUCT_URL: 'x', INITIAL_STOCK: '-1' };
  const refused = await start({ ...env, SHIP_AFTER_SECONDS: '1m' });
  expect(await refused.exit).toEqual([1, null]);
  await until('it has said why', () => refused.lines.length >= 6);
  for (const name of [...Object.keys(env), 'SHIP_AFTER_SECONDS']) expect(refused.lines.join('\n')).toContain(name);
});
