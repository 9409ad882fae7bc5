import { randomUUID } from 'node:crypto';
import { startConsumer } from '@store/shared/messaging/consumer/consumer';
import { createKafka } from '@store/shared/messaging/kafkajs/client';
import { createPublisher } from '@store/shared/messaging/kafkajs/publisher';
import { startRelay } from '@store/shared/messaging/outbox/relay';
import { createLog } from '@store/shared/observability/log';
import { unavailable } from '@store/shared/values/errors';
import pg from 'pg';
import { storedEvent } from '../../../tests/kit/kafka/order-events.ts';
import { brokers, createTopic, readTopic } from '../../../tests/kit/kafka/topic.ts';
import { createTestDatabase, type TestDatabase } from '../../../tests/kit/postgres/database.ts';
import { startService } from '../../../tests/kit/service-process.ts';
import { until } from '../../../tests/kit/until.ts';
import { aboveLimit, alice, fakeProvider, orderCancelled, stockReserved, testPayments } from './_payments.ts';

const broker = { brokers, clientId: 'payment', log: createLog('payment', 'silent') };
const publisher = createPublisher(broker);

let database: TestDatabase;
const closing: (() => Promise<unknown>)[] = [];

beforeEach(async () => {
  database = await createTestDatabase('payment');
  closing.push(database.drop);
});
afterEach(async () => {
  for (const close of closing.splice(0).reverse()) await close();
});
afterAll(() => publisher.close());

/** The kinds of an order's events on a topic, in the order in which they are read. */
const kindsOn = (topic: Awaited<ReturnType<typeof readTopic>>, orderId: string) =>
  topic.messages.filter(({ key }) => key === orderId).map(({ headers }) => headers.ce_type);

describe('payment', () => {
  it('pays, declines and refunds, waits for its provider and dead-letters poison', async () => {
    const name = await createTopic(3);
    const group = `payment-${randomUUID()}`;
    const provider = fakeProvider();
    const payment = testPayments(database.url, { provider });
    closing.push(payment.close);
    const relay = startRelay({ ...broker, databaseUrl: database.url, topic: name, publishers: [publisher] });
    closing.push(relay.stop);
    const consumer = startConsumer({
      ...payment.processorOf({ ...payment.group, name: group }),
      topics: [name],
      connect: (signal) => createKafka({ ...broker, signal }),
      sender: publisher,
      retry: { attempts: 3, firstDelayMs: 10, multiplier: 2 },
      log: broker.log,
    });
    closing.push(consumer.stop);
    const [topic, deadLetters] = [await readTopic(name), await readTopic('order-events-dlq')];
    closing.push(topic.close, deadLetters.close);

    let isUnavailable = true;
    provider.afterCharge = async () => {
      if (isUnavailable) throw unavailable('The payment provider');
    };
    const [paid, declined, refunded, uncharged] = [randomUUID(), randomUUID(), randomUUID(), randomUUID()];
    await publisher.send(name, [
      { key: paid, value: 'malformed', headers: { ce_id: randomUUID(), ce_type: 'StockReserved' } },
    ]);
    await publisher.publish(name, [
      stockReserved(paid),
      stockReserved(declined, aboveLimit),
      stockReserved(refunded),
      orderCancelled(refunded),
      orderCancelled(uncharged),
      stockReserved(uncharged),
    ]);
    await until(
      'the provider was called more than three times',
      () => provider.charges.filter((id) => id === paid).length > 3,
    );
    isUnavailable = false;

    await until('the refund is published', () => kindsOn(topic, refunded).length === 4);
    await until('the decline is published', () => kindsOn(topic, declined).length === 2);
    await until('the payment is published', () => kindsOn(topic, paid).length === 3);
    expect(kindsOn(topic, refunded)).toEqual(['StockReserved', 'OrderCancelled', 'OrderPaid', 'PaymentRefunded']);
    expect(kindsOn(topic, declined)).toEqual(['StockReserved', 'PaymentFailed']);
    await until('all six events are handled', async () => (await payment.prisma.processedEvent.count()) === 6);
    expect(kindsOn(topic, uncharged)).toEqual(['OrderCancelled', 'StockReserved']);
    const ofGroup = () => deadLetters.messages.filter(({ headers }) => headers.dlq_group === group);
    await until('the poison is a dead letter', () => ofGroup().length > 0);
    expect(ofGroup().map(({ key, value }) => [key, value])).toEqual([[paid, 'malformed']]);
  });

  it('pays orders from order-events, reports health, and pays each order once across restarts', async () => {
    const topic = await readTopic('order-events');
    closing.push(topic.close);
    const start = async () => {
      const env = { DATABASE_URL: database.url, PAYMENT_DECLINE_ABOVE: '1000' };
      const service = await startService('services/payment/src/main.ts', env);
      closing.push(() => service.end('SIGKILL'));
      return service;
    };
    const first = await start();
    await first.ready();
    const [paid, declined] = [randomUUID(), randomUUID()];
    await publisher.publish('order-events', [
      storedEvent('OrderCreated', { orderId: paid, customerId: alice }),
      stockReserved(paid),
      stockReserved(declined, aboveLimit),
    ]);
    await until('both are published', () => kindsOn(topic, paid).length === 3 && kindsOn(topic, declined).length === 2);
    expect(kindsOn(topic, paid)).toEqual(['OrderCreated', 'StockReserved', 'OrderPaid']);
    expect(kindsOn(topic, declined)).toEqual(['StockReserved', 'PaymentFailed']);
    // Other tests publish to this topic too.
    const ours = topic.messages.filter(({ key }) => key === paid);
    expect(ours.at(-1)?.headers.ce_source).toBe('/store/payment');
    expect((await first.get('/payments')).status).toBe(404);
    const [, processed] =
      /consumer_messages_total{group="payment-group",result="processed"} (\d+)/.exec(await first.metrics()) ?? [];
    expect(Number(processed)).toBeGreaterThanOrEqual(2);
    expect(await first.end('SIGTERM')).toEqual([0, null]);

    const ids: string[] = Array.from({ length: 60 }, () => randomUUID());
    const second = await start();
    await second.ready(); // before, SIGTERM ends it at once, and payments of others' tests are on the topic, too
    await publisher.publish(
      'order-events',
      ids.map((id) => stockReserved(id)),
    );
    await until('some payments are published', () => ids.some((id) => kindsOn(topic, id).length === 2));
    expect(await second.end('SIGTERM')).toEqual([0, null]);
    await start();
    await until('all payments are published', () => ids.every((id) => kindsOn(topic, id).length >= 2));
    const rows = topic.messages.filter(({ key, headers }) => ids.includes(key) && headers.ce_type === 'OrderPaid');
    expect(new Set(rows.map(({ headers }) => headers.ce_id)).size).toBe(ids.length);
  }, 120_000);

  it('wakes the relays of other replicas', async () => {
    const replica = new pg.Client({ connectionString: database.url });
    await replica.connect();
    closing.push(() => replica.end());
    let notifications = 0;
    replica.on('notification', () => {
      notifications += 1;
    });
    await replica.query('select pg_advisory_lock_shared(7310002), pg_advisory_lock(7310002, 0)'); // of shares.ts
    await replica.query('listen outbox');
    const service = await startService('services/payment/src/main.ts', { DATABASE_URL: database.url });
    closing.push(() => service.end('SIGKILL'));
    await publisher.publish('order-events', [stockReserved(randomUUID())]);
    await until('the relay is notified', () => notifications > 0);
  });
});
