import { randomUUID } from 'node:crypto';
import { once } from 'node:events';
import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import type { StoredEvent } from '@store/shared/messaging/events';
import { createPublisher } from '@store/shared/messaging/kafkajs/publisher';
import { createLog } from '@store/shared/observability/log';
import { brokers, readTopic } from '../../../tests/kit/kafka/topic.ts';
import { useDatabase } from '../../../tests/kit/postgres/database.ts';
import { startService } from '../../../tests/kit/service-process.ts';
import { until } from '../../../tests/kit/until.ts';
import { alice, orderOf, skipExistingMessages, testInventory, unknown } from './_inventory.ts';

const entry = 'services/inventory/src/main.ts';
const kafkaOptions = { brokers, clientId: 'inventory-test', log: createLog('test', 'silent') };
const publisher = createPublisher(kafkaOptions);

const database = useDatabase('inventory');
const inventory = database.open((url) => testInventory(url));
/** The services that are called, and whether they are unavailable. */
const down = { products: false, orders: false };
/** Demands that the order service knows, by order id. */
const demands = new Map<string, object>();
let topic: Awaited<ReturnType<typeof readTopic>>;
let deadLetters: Awaited<ReturnType<typeof readTopic>>;
let service: Awaited<ReturnType<typeof startService>>;

/** Answers with what it knows of each id that is asked about. */
const answering = (name: keyof typeof down, find: (id: string) => object | []) =>
  createServer((req, res) => {
    const ids = new URL(req.url ?? '', 'http://service').searchParams.getAll('id');
    if (down[name]) res.writeHead(503);
    res.end(JSON.stringify(ids.flatMap(find)));
  });
const servers = [
  answering('products', (id) => (id === unknown ? [] : { id, price: 1 })),
  answering('orders', (id) => demands.get(id) ?? []),
] as const;

function start() {
  const [PRODUCT_URL, ORDER_URL] = servers.map(
    (server) => `http://127.0.0.1:${(server.address() as AddressInfo).port}`,
  );
  return startService(entry, { DATABASE_URL: database.url, PRODUCT_URL: `${PRODUCT_URL}`, ORDER_URL: `${ORDER_URL}` });
}

beforeAll(async () => {
  for (const server of servers) await once(server.listen(0, '127.0.0.1'), 'listening');
  [topic, deadLetters] = await Promise.all([readTopic('order-events'), readTopic('order-events-dlq')]);
  await skipExistingMessages(kafkaOptions);
  service = await start();
});

afterAll(async () => {
  await service.end('SIGKILL');
  for (const server of servers) server.close().closeAllConnections();
  await Promise.all([topic.close(), deadLetters.close(), publisher.close()]);
});

const publish = (...events: StoredEvent[]) => publisher.publish('order-events', events);
const published = (orderId: string) =>
  topic.messages.filter(({ key, headers }) => key === orderId && headers.ce_source === '/store/inventory');
/** Services of other test files may react to the same orders, so a test only looks at the kinds that it is about. */
const ofKind = (orderId: string, kind: string) => published(orderId).filter(({ headers }) => headers.ce_type === kind);
const untilPublished = (orderId: string, kind: string) =>
  until(`${kind} is published`, () => ofKind(orderId, kind).length > 0);
async function openLetter(of: string) {
  const { body } = await service.get('/internal/dead-letters');
  return body.letters.find(({ orderId }: { orderId: string }) => orderId === of);
}
async function redrive(...ids: string[]) {
  const response = await fetch(`${service.url}/internal/dead-letters/redrive`, {
    method: 'POST',
    headers: { 'content-type': 'application/json' },
    body: JSON.stringify({ ids, by: 'test' }),
  });
  return ((await response.json()) as { results: object[] }).results;
}
const untilDead = (orderId: string) => until('the dead letter is there', () => deadLetterOf(orderId) !== undefined);
const untilItWaits = (name: string) =>
  until('inventory logs that it waits', () =>
    service.lines.some((line) => line.includes('dependency is unavailable') && line.includes(name)),
  );
const know = ({ orderId, items }: ReturnType<typeof orderOf>) =>
  demands.set(orderId, { orderId, items, total: { amount: 3, currency: 'USD' } });
const deadLetterOf = (orderId: string) => deadLetters.messages.find(({ key }) => key === orderId);

describe('an order whose product no longer exists', () => {
  it('is rejected, and its event is a dead letter, whose redrive does nothing twice', async () => {
    const order = orderOf([unknown, 1]);
    know(order);
    const event = order.created();
    await publish(event);
    await untilPublished(order.orderId, 'StockRejected');
    await untilDead(order.orderId);
    expect(deadLetterOf(order.orderId)).toMatchObject({
      value: event.payload,
      headers: { dlq_error: `There is no product ${unknown}: the order was rejected.`, dlq_attempts: '1' },
    });
    const letter = await openLetter(order.orderId);
    expect(letter).toMatchObject({ kind: 'OrderCreated', eventId: event.id });
    expect(await redrive(letter.id)).toEqual([{ id: letter.id, outcome: 'REDRIVEN' }]);
    expect(await redrive(letter.id)).toMatchObject([{ id: letter.id, outcome: 'DECIDED' }]);
    expect(await openLetter(order.orderId)).toBeUndefined();
    expect(await inventory.statusOf(order.orderId)).toBe('REJECTED');
    expect(await inventory.kindsOf(order.orderId)).toEqual(['StockRejected']);
  });

  it('and that nobody knows is nothing but a dead letter', async () => {
    const [order, next] = [orderOf([unknown, 1]), orderOf([randomUUID(), 1])];
    await publish(order.created(), next.created());
    await untilPublished(next.orderId, 'StockReserved');
    await untilDead(order.orderId);
    expect(deadLetterOf(order.orderId)?.headers.dlq_error).toContain(`no order ${order.orderId}`);
    expect([await inventory.statusOf(order.orderId), await inventory.kindsOf(order.orderId)]).toEqual([undefined, []]);
  });
});

describe('inventory handles OrderCreated of another producer, which has the specified fields and no headers,', () => {
  /** Publishes what such a producer writes. */
  async function publishSpecified(orderId: string): Promise<void> {
    const value = JSON.stringify({ orderId, customerId: alice, timestamp: new Date().toISOString() });
    await publisher.send('order-events', [{ key: orderId, value }]);
  }

  it('by asking the order service, and waits as long as it is unavailable', async () => {
    const tea = await inventory.setStock(10);
    const order = orderOf([tea, 3]);
    know(order);
    down.orders = true;
    await publishSpecified(order.orderId);
    await untilItWaits('order service');
    down.orders = false;
    await untilPublished(order.orderId, 'StockReserved');
    expect(JSON.parse(ofKind(order.orderId, 'StockReserved')[0]?.value ?? '')).toMatchObject({
      orderId: order.orderId,
      customerId: alice,
      items: order.items,
      total: { amount: 3, currency: 'USD' },
    });
    expect(await inventory.available(tea)).toBe(7);
    expect(deadLetterOf(order.orderId)).toBeUndefined();
  });

  it('as a dead letter where the order service does not know the order; it can be redriven once it does', async () => {
    const order = orderOf([await inventory.setStock(10), 3]);
    await publishSpecified(order.orderId);
    await untilDead(order.orderId);
    expect(deadLetterOf(order.orderId)?.headers.dlq_error).toContain(`there is no order ${order.orderId}`);
    expect(await inventory.statusOf(order.orderId)).toBeUndefined();

    const letter = await openLetter(order.orderId);
    expect(letter).toMatchObject({ kind: 'OrderCreated', eventId: expect.any(String) });
    know(order);
    expect(await redrive(letter.id)).toEqual([{ id: letter.id, outcome: 'REDRIVEN' }]);
    await untilPublished(order.orderId, 'StockReserved');
  });
});

describe('the process', () => {
  it('reserves the stock of an order within its trace, settles it, and skips a repeated event', async () => {
    const tea = randomUUID();
    const order = orderOf([tea, 3]);
    const traceId = randomUUID().replaceAll('-', '');
    const traceparent = `00-${traceId}-b7ad6b7169203331-01`;
    const event = { ...order.created(), traceparent };
    await publish(event, event);
    await untilPublished(order.orderId, 'StockReserved');
    await publish(order.shipped());
    await until('the stock is settled', async () => (await inventory.statusOf(order.orderId)) === 'SHIPPED');
    expect(
      published(order.orderId).map(({ headers }) => [headers.ce_type, headers.traceparent?.split('-')[1]]),
    ).toEqual([['StockReserved', traceId]]);
    expect(JSON.parse(published(order.orderId)[0]?.value ?? '')).toMatchObject({ items: order.items });
    expect(await service.get(`/stock/${tea}`)).toEqual({ status: 200, body: { productId: tea, available: 997 } });
    expect((await service.get('/health/ready')).status).toBe(200);
    const metrics = await service.metrics();
    expect(metrics).toContain('outbox_relay_active 1');
    expect(metrics).toMatch(/consumer_messages_total\{group="inventory-group",result="duplicate"\} [1-9]/);
  });

  it('releases stock when the payment fails or the order is cancelled', async () => {
    const tea = await inventory.setStock(10);
    const [unpaid, cancelled] = [orderOf([tea, 3]), orderOf([tea, 4])];
    await publish(unpaid.created(), cancelled.created());
    await Promise.all([unpaid, cancelled].map(({ orderId }) => untilPublished(orderId, 'StockReserved')));
    await publish(unpaid.paymentFailed(), cancelled.cancelled('too late'));
    await Promise.all([unpaid, cancelled].map(({ orderId }) => untilPublished(orderId, 'StockReleased')));
    expect(JSON.parse(ofKind(cancelled.orderId, 'StockReleased')[0]?.value ?? '')).toMatchObject({
      reason: 'too late',
    });
    expect(await inventory.available(tea)).toBe(10);
  });

  it('gives the last piece to one of two orders', async () => {
    const tea = await inventory.setStock(1);
    const orders = [orderOf([tea, 1]), orderOf([tea, 1])];
    await publish(...orders.map((order) => order.created()));
    const results = () =>
      ['StockRejected', 'StockReserved'].flatMap((kind) => orders.flatMap(({ orderId }) => ofKind(orderId, kind)));
    await until('both orders are decided', () => results().length === 2);
    expect(results().map(({ headers }) => headers.ce_type)).toEqual(['StockRejected', 'StockReserved']);
  });

  it('dead-letters poison at once and handles the event behind it', async () => {
    const tea = await inventory.setStock(10);
    const [missingField, malformedJson, valid] = [orderOf([tea, 1]), orderOf([tea, 1]), orderOf([tea, 1])];
    // All with one key, so that the valid event is behind the poison in the same partition.
    const key = valid.orderId;
    const events = [
      { ...missingField.created(), payload: JSON.stringify({ orderId: valid.orderId }) },
      { ...malformedJson.created(), payload: '{"orderId":' },
      valid.created(),
    ];
    await publish(...events.map((event) => ({ ...event, key })));
    await untilPublished(valid.orderId, 'StockReserved');
    const ours = () =>
      deadLetters.messages.filter((letter) => letter.key === key && letter.headers.dlq_group === 'inventory-group');
    await until('both dead letters are there', () => ours().length === 2);
    expect(ours().map(({ headers }) => headers.dlq_attempts)).toEqual(['1', '1']);
    expect(ours()[0]?.headers.dlq_error).toMatch(/Invalid payload of OrderCreated.*customerId/s);
    expect(ours()[0]?.value).toBe(events[0]?.payload);
    expect(await inventory.available(tea)).toBe(9);
  });

  it('retries without dead letters while the product service is unavailable', async () => {
    down.products = true;
    const order = orderOf([randomUUID(), 1]);
    await publish(order.created());
    await untilItWaits('product');
    expect(published(order.orderId)).toEqual([]);
    down.products = false;
    await untilPublished(order.orderId, 'StockReserved');
    expect(deadLetterOf(order.orderId)).toBeUndefined();
  });

  it('stops cleanly and resumes at its committed offset', async () => {
    expect(await service.end('SIGTERM')).toEqual([0, null]);
    const order = orderOf([randomUUID(), 1]);
    await publish(order.created());
    service = await start();
    await untilPublished(order.orderId, 'StockReserved');
    expect(ofKind(order.orderId, 'StockReserved')).toHaveLength(1);
  });
});
