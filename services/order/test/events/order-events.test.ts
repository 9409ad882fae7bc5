import pg from 'pg';
import { useDatabase } from '../../../../tests/kit/postgres/database.ts';
import { until } from '../../../../tests/kit/until.ts';
import { alice, as, gold, salt, testApp } from '../_app.ts';
import { relaysOn } from './_relay.ts';

const now = new Date('2026-03-04T05:06:07.089Z');
const traceId = '0af7651916cd43dd8448eb211c80319c';

const database = useDatabase('order', 'each');
const order = database.open((url) => testApp(url, { clock: () => now }));
const relays = database.open(relaysOn);
const customer = as(alice, order);

it('OrderCreated has the documented key, headers and payload, within the trace of the request', async () => {
  const topic = await relays.createTopic(6);
  relays.start(relays.createPublisher(), { topic: topic.name });
  const items = [
    { productId: gold, quantity: 10_000 },
    { productId: salt, quantity: 1 },
  ];
  const parent = `00-${traceId}-b7ad6b7169203331-01`;
  const { id } = (await customer.place({ items }, { traceparent: parent }).expect(201)).body;
  await customer.cancel(id).expect(201);
  await until('both events are published', () => topic.messages.length === 2);
  const [message, cancelled] = topic.messages;
  const stored = await order.prisma.outbox.findFirst({ where: { key: id, kind: 'OrderCreated' } });
  expect(message?.key).toBe(id);
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
  const timestamp = now.toISOString();
  expect(message?.value).toBe(
    `{"orderId":"${id}","customerId":"${alice}","timestamp":"${timestamp}","items":${JSON.stringify(items)},` +
      `"total":{"amount":9999999999999999,"currency":"USD"}}`,
  );
  expect(cancelled).toMatchObject({ key: id, partition: message?.partition, headers: { ce_type: 'OrderCancelled' } });
  const reason = 'cancelled by the customer';
  expect(JSON.parse(cancelled?.value ?? '')).toEqual({ orderId: id, customerId: alice, timestamp, reason });
});

it('placing and cancelling an order notify the relay on commit', async () => {
  const listener = new pg.Client({ connectionString: database.url });
  await listener.connect();
  let notifications = 0;
  listener.on('notification', () => {
    notifications += 1;
  });
  await listener.query('listen outbox');
  const id = await customer.placed();
  await until('the relay is notified', () => notifications === 1);
  await customer.remove(id).expect(204);
  await until('the relay is notified again', () => notifications === 2);
  await listener.end();
});
