import { randomUUID } from 'node:crypto';
import type { StoredEvent } from '@store/shared/messaging/events';
import { createKafka } from '@store/shared/messaging/kafkajs/client';
import { createLog } from '@store/shared/observability/log';
import { brokers, readTopic, usePublisher } from '../../../tests/kit/kafka/topic.ts';
import { serve } from '../../../tests/kit/listen.ts';
import { useDatabase } from '../../../tests/kit/postgres/database.ts';
import { useServices } from '../../../tests/kit/service-process.ts';
import { until } from '../../../tests/kit/until.ts';
import { alice, orderOf, testInventory } from './_inventory.ts';

const startService = useServices();
const publisher = usePublisher();

const database = useDatabase('inventory');
const inventory = database.open(testInventory);
const topic = database.open(() => readTopic('order-events'));
/** Demands that the order service knows, by order id; it is unavailable for others. */
const demands = new Map<string, object>();
let service: Awaited<ReturnType<typeof startService>>;

beforeAll(async () => {
  await skipExistingMessages();
  // Answers for the product and the order service with what is known of each id that is asked about.
  const url = await serve((req, res) => {
    const { pathname, searchParams } = new URL(req.url ?? '', 'http://service');
    const ids = searchParams.getAll('id');
    const found = ids.map((id) => (pathname === '/products' ? { id, name: 'Tea', price: 1 } : demands.get(id)));
    if (found.includes(undefined)) res.writeHead(503);
    res.end(JSON.stringify(found));
  });
  const env = { DATABASE_URL: database.url, PRODUCT_URL: url, ORDER_URL: url };
  service = await startService('services/inventory/src/main.ts', env);
});

/** Skips what other tests have left on the topic. */
async function skipExistingMessages(): Promise<void> {
  const admin = createKafka({ brokers, clientId: 'test', log: createLog('test', 'silent') }).admin();
  await admin.connect();
  const ends = await admin.fetchTopicOffsets('order-events');
  const partitions = ends.map(({ partition, high }) => ({ partition, offset: high }));
  await admin.setOffsets({ groupId: 'inventory-group', topic: 'order-events', partitions });
  await admin.disconnect();
}

const publish = (...events: StoredEvent[]) => publisher.publish('order-events', events);
const published = (orderId: string) =>
  topic.messages.filter(({ key, headers }) => key === orderId && headers.ce_source === '/store/inventory');
/** Services of other test files may react to the same orders, so a test only looks at the kinds that it is about. */
const ofKind = (orderId: string, kind: string) => published(orderId).filter(({ headers }) => headers.ce_type === kind);
const untilPublished = (orderId: string, kind: string) =>
  until(`${kind} is published`, () => ofKind(orderId, kind).length > 0);

// Dead letters, unavailable services and the end of a process are tested once for all groups, in services/consumers.
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

  it('asks the order service what an event of another producer lacks, and waits as long as it is unavailable', async () => {
    const tea = await inventory.setStock(10);
    const order = orderOf([tea, 3]);
    const { orderId, items } = order;
    const total = { amount: 3, currency: 'USD' };
    const value = JSON.stringify({ orderId, customerId: alice, timestamp: new Date().toISOString() });
    await publisher.send('order-events', [{ key: orderId, value }]);
    const isWaiting = (line: string) => line.includes('dependency is unavailable') && line.includes('order service');
    await until('inventory logs that it waits', () => service.lines.some(isWaiting));
    demands.set(orderId, { orderId, items, total });
    await untilPublished(orderId, 'StockReserved');
    expect(JSON.parse(ofKind(orderId, 'StockReserved')[0]?.value ?? '')).toMatchObject({
      customerId: alice,
      items,
      total,
    });
    expect(await inventory.available(tea)).toBe(7);
  });
});
