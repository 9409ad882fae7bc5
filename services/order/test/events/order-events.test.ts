import { createPublisher } from '@store/shared/messaging/kafkajs/publisher';
import { startRelay } from '@store/shared/messaging/outbox/relay';
import { createLog } from '@store/shared/observability/log';
import pg from 'pg';
import { brokers, createTopic, readTopic } from '../../../../tests/kit/kafka/topic.ts';
import { useDatabase } from '../../../../tests/kit/postgres/database.ts';
import { until } from '../../../../tests/kit/until.ts';
import { alice, as, gold, salt, tea, testApp } from '../_app.ts';

const now = new Date('2026-03-04T05:06:07.089Z');
const log = createLog('order', 'silent');
const traceId = '0af7651916cd43dd8448eb211c80319c';

const database = useDatabase('order');
const order = database.open((url) => testApp(url, { clock: () => now }));
const topic = database.open(async (databaseUrl) => {
  const name = await createTopic(6);
  const publisher = createPublisher({ brokers, clientId: 'order', log });
  const relay = startRelay({ databaseUrl, topic: name, publishers: [publisher], log });
  const read = await readTopic(name);
  return { ...read, close: async () => void (await Promise.all([relay.stop().then(publisher.close), read.close()])) };
});
const customer = as(alice, order);

const messagesOf = (orderId: string) => topic.messages.filter(({ key }) => key === orderId);
const placed = async (headers: object = {}, items = [{ productId: tea, quantity: 2 }]): Promise<string> =>
  (await customer.place({ items }, headers).expect(201)).body.id;

describe('the events of an order', () => {
  it('OrderCreated has the documented key, headers and payload, within the trace of the request', async () => {
    const parent = `00-${traceId}-b7ad6b7169203331-01`;
    const id = await placed({ traceparent: parent }, [
      { productId: gold, quantity: 10_000 },
      { productId: salt, quantity: 1 },
    ]);
    await until('the event is published', () => messagesOf(id).length === 1);
    const [message] = messagesOf(id);
    const stored = await order.prisma.outbox.findFirst({ where: { key: id } });
    expect(message?.headers).toEqual({
      'content-type': 'application/json',
      ce_specversion: '1.0',
      ce_id: stored?.id,
      ce_source: '/store/order',
      ce_type: 'OrderCreated',
      ce_time: now.toISOString(),
      traceparent: expect.stringMatching(new RegExp(`^00-${traceId}-[0-9a-f]{16}-01$`)),
    });
    expect(message?.headers.traceparent).not.toBe(parent);
    expect(message?.value).toBe(
      `{"orderId":"${id}","customerId":"${alice}","timestamp":"${now.toISOString()}",` +
        `"items":[{"productId":"${gold}","quantity":10000},{"productId":"${salt}","quantity":1}],` +
        `"total":{"amount":9999999999999999,"currency":"USD"}}`,
    );
  });

  it('an event continues the trace of x-request-id without a traceparent, and starts one without either', async () => {
    const requestId = '11111111-2222-4333-8444-555555555555';
    const ids = [await placed({ 'x-request-id': requestId }), await placed(), await placed({ traceparent: 'garbage' })];
    await until('the events are published', () => ids.every((id) => messagesOf(id).length === 1));
    const [byRequestId, ...others] = ids.map((id) => messagesOf(id)[0]?.headers.traceparent ?? '');
    expect(byRequestId).toContain(`00-${requestId.replaceAll('-', '')}-`);
    for (const traceparent of others) expect(traceparent).toMatch(/^00-[0-9a-f]{32}-[0-9a-f]{16}-01$/);
  });

  it('OrderCancelled follows OrderCreated in the same partition, with the reason', async () => {
    const ids = await Promise.all(Array.from({ length: 20 }, () => placed()));
    await Promise.all(ids.map((id) => customer.cancel(id).expect(201)));
    await until('all events are published', () => ids.every((id) => messagesOf(id).length === 2));
    for (const id of ids) {
      const [created, cancelled] = messagesOf(id);
      expect([created?.headers.ce_type, cancelled?.headers.ce_type]).toEqual(['OrderCreated', 'OrderCancelled']);
      expect(cancelled?.partition).toBe(created?.partition);
      expect(JSON.parse(cancelled?.value ?? '')).toEqual({
        orderId: id,
        customerId: alice,
        timestamp: now.toISOString(),
        reason: 'cancelled by the customer',
      });
    }
  });

  it('repeated and rejected requests publish no event', async () => {
    const key = { 'Idempotency-Key': 'once' };
    const id = await placed(key);
    expect(await placed(key)).toBe(id);
    const otherCustomer = { items: [{ productId: tea, quantity: 1 }], customerId: salt };
    await customer.place(otherCustomer).expect(403);
    const last = await placed(); // the relay publishes everything before it in the outbox first
    await until('the last event is published', () => messagesOf(last).length === 1);
    expect(messagesOf(id)).toHaveLength(1);
    await until(
      'every event is marked',
      async () => (await order.prisma.outbox.count({ where: { sentAt: null } })) === 0,
    );
  });

  it('placing and cancelling an order notify the relay on commit', async () => {
    const listener = new pg.Client({ connectionString: database.url });
    await listener.connect();
    let notifications = 0;
    listener.on('notification', () => {
      notifications += 1;
    });
    await listener.query('listen outbox');
    const id = await placed();
    await until('the relay is notified', () => notifications === 1);
    await customer.remove(id).expect(204);
    await until('the relay is notified again', () => notifications === 2);
    await listener.end();
  });
});
