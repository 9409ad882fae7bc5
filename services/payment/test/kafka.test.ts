import { randomUUID } from 'node:crypto';
import { storedEvent } from '../../../tests/kit/kafka/order-events.ts';
import { readTopic, usePublisher } from '../../../tests/kit/kafka/topic.ts';
import { useDatabase } from '../../../tests/kit/postgres/database.ts';
import { useServices } from '../../../tests/kit/service-process.ts';
import { until } from '../../../tests/kit/until.ts';
import { aboveLimit, alice, orderCancelled, stockReserved } from './_payments.ts';

const database = useDatabase('payment');
const topic = database.open(() => readTopic('order-events'));
const startService = useServices();
const publisher = usePublisher();
const publish = (...events: ReturnType<typeof stockReserved>[]) => publisher.publish('order-events', events);

async function start() {
  const env = { DATABASE_URL: database.url, PAYMENT_DECLINE_ABOVE: '1000' };
  const service = await startService('services/payment/src/main.ts', env);
  await service.ready(); // before, SIGTERM ends it at once, and payments of others' tests are on the topic, too
  return service;
}

/** The kinds of an order's events, in the order in which they are read. */
const kindsOf = (orderId: string) =>
  topic.messages.filter(({ key }) => key === orderId).map(({ headers }) => headers.ce_type);

it('payment pays, declines and refunds orders from order-events, each once across restarts', async () => {
  const first = await start();
  const [paid, declined, refunded] = [randomUUID(), randomUUID(), randomUUID()];
  await publish(
    storedEvent('OrderCreated', { orderId: paid, customerId: alice }),
    stockReserved(paid),
    stockReserved(declined, aboveLimit),
    stockReserved(refunded),
    orderCancelled(refunded),
  );
  await until('the payment is published', () => kindsOf(paid).length === 3);
  await until('the decline is published', () => kindsOf(declined).length === 2);
  await until('the refund is published', () => kindsOf(refunded).length === 4);
  expect(kindsOf(paid)).toEqual(['OrderCreated', 'StockReserved', 'OrderPaid']);
  expect(kindsOf(declined)).toEqual(['StockReserved', 'PaymentFailed']);
  expect(kindsOf(refunded)).toEqual(['StockReserved', 'OrderCancelled', 'OrderPaid', 'PaymentRefunded']);
  expect(topic.messages.findLast(({ key }) => key === paid)?.headers.ce_source).toBe('/store/payment');
  expect((await first.get('/payments')).status).toBe(404);
  expect(await first.metrics()).toMatch(/consumer_messages_total\{group="payment-group",result="processed"\} [1-9]/);
  expect(await first.end('SIGTERM')).toEqual([0, null]);

  const ids: string[] = Array.from({ length: 60 }, () => randomUUID());
  const second = await start();
  await publish(...ids.map((id) => stockReserved(id)));
  await until('some payments are published', () => ids.some((id) => kindsOf(id).length === 2));
  expect(await second.end('SIGTERM')).toEqual([0, null]);
  await start();
  await until('all payments are published', () => ids.every((id) => kindsOf(id).length >= 2));
  const rows = topic.messages.filter(({ key, headers }) => ids.includes(key) && headers.ce_type === 'OrderPaid');
  expect(new Set(rows.map(({ headers }) => headers.ce_id)).size).toBe(ids.length);
}, 120_000);
