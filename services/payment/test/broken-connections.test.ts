import { randomUUID } from 'node:crypto';
import { startConsumer } from '@store/shared/messaging/consumer/consumer';
import { createKafka, createPublisher } from '@store/shared/messaging/kafka';
import { startRelay } from '@store/shared/messaging/outbox/relay';
import { answersTo, startWatchdog } from '@store/shared/messaging/watchdog';
import { createLog } from '@store/shared/observability/log';
import { createTestDatabase } from '../../../tests/kit/database.ts';
import { type ApiName, createKafkaProxy } from '../../../tests/kit/kafka-proxy.ts';
import { startService } from '../../../tests/kit/service-process.ts';
import type { ProxyMode } from '../../../tests/kit/tcp-proxy.ts';
import { brokers, createTopic, readTopic } from '../../../tests/kit/topic.ts';
import { until } from '../../../tests/kit/until.ts';
import { stockReserved, testPayments } from './_payments.ts';

const log = createLog('payment', process.env.TEST_LOG ?? 'silent');
const direct = createPublisher({ brokers, clientId: 'test', log });
const closing: (() => Promise<unknown>)[] = [() => direct.close()];

let payment: Awaited<ReturnType<typeof startPayment>>;

beforeAll(async () => {
  payment = await startPayment();
});
afterAll(async () => {
  for (const close of closing.reverse()) await close();
});

/** Consumer, handler, outbox and relay of payment, with a proxy between them and Kafka. */
async function startPayment() {
  const proxy = await createKafkaProxy();
  closing.push(proxy.close);
  const database = await createTestDatabase('payment');
  closing.push(database.drop);
  const service = testPayments(database.url);
  closing.push(service.close);
  const name = await createTopic(1);
  const topic = await readTopic(name);
  closing.push(topic.close);
  const group = `payment-${randomUUID()}`;
  const broker = { brokers: proxy.brokers, clientId: 'payment', log };
  const publisher = createPublisher(broker);
  closing.push(() => publisher.close());
  const relay = startRelay({ databaseUrl: database.url, topic: name, publisher, log });
  closing.push(relay.stop);
  const start = () => {
    const consumer = startConsumer({
      processor: service.processorOf({ ...service.group, name: group }),
      topic: name,
      connect: (signal) => createKafka({ ...broker, signal }),
      sender: publisher,
      retry: { attempts: 3, firstDelayMs: 10, multiplier: 2 },
      log,
    });
    closing.push(() => consumer.stop());
    return consumer;
  };
  return { proxy, broker, publisher, group, name, topic, start, consumer: start() };
}

const committed = async () => {
  const admin = createKafka({ brokers, clientId: 'test', log }).admin();
  await admin.connect();
  const [offsets] = await admin.fetchOffsets({ groupId: payment.group, topics: [payment.name] });
  const [{ high = '' } = {}] = await admin.fetchTopicOffsets(payment.name);
  await admin.disconnect();
  return offsets?.partitions[0]?.offset === high;
};

/** An event goes all the way: fetched, handled, published by the relay, and everything is committed. */
async function works(timeoutMs: number): Promise<void> {
  const orderId = randomUUID();
  await direct.publish(payment.name, [stockReserved(orderId)]);
  const isPaid = () =>
    payment.topic.messages.some(({ key, headers }) => key === orderId && headers.ce_type === 'OrderPaid');
  await until('the order is paid', isPaid, { timeoutMs });
  await until('all offsets are committed', committed, { timeoutMs });
}

const modes: ProxyMode[] = ['refuse', 'close', 'http', 'cut', 'silent'];
const steps: ApiName[] = ['Fetch', 'Heartbeat', 'Produce', 'OffsetCommit', 'JoinGroup', 'ApiVersions'];

test.each(steps.flatMap((step) => modes.map((mode) => [step, mode] as const)))(
  'group and relay work again within 30 s after a connection broke at %s: %s',
  async (step, mode) => {
    await works(60_000);
    const broken = payment.proxy.breakAt(step, mode);
    // A step that does not come by itself: a new event, or a consumer that starts.
    if (step === 'JoinGroup' || step === 'ApiVersions') {
      await payment.consumer.stop();
      payment.consumer = payment.start();
    } else {
      await direct.publish(payment.name, [stockReserved(randomUUID())]);
    }
    await broken;
    await until('a connection is broken', () => payment.proxy.affected() > 0);
    await payment.proxy.set('pass');
    await works(30_000);
  },
  120_000,
);

test('a consumer that gets no answer while the broker answers others is renewed, and then ends the process', async () => {
  await payment.consumer.stop();
  payment.proxy.silenceAt('JoinGroup');
  payment.consumer = payment.start();
  const lines: string[] = [];
  const deaf: string[] = [];
  const watchdog = startWatchdog({
    watched: [payment.publisher, payment.consumer],
    probe: () => answersTo(payment.broker, payment.name, payment.group),
    onDeaf: (name) => deaf.push(name),
    log: createLog('payment', 'warn', { write: (line) => void lines.push(line) }),
    probeEveryMs: 500,
  });
  closing.push(async () => watchdog.stop());
  await until('the consumer is called deaf', () => deaf.length > 0, { timeoutMs: 90_000 });
  expect(deaf).toEqual(['consumer']);
  expect(lines).toHaveLength(1);
  payment.proxy.silenceAt(undefined);
  await works(30_000);
}, 180_000);

test('a service stops within its grace period while Kafka is silent, in the middle of a fetch and a batch', async () => {
  await payment.consumer.stop();
  const database = await createTestDatabase('payment');
  closing.push(database.drop);
  const service = await startService('services/payment/src/main.ts', {
    DATABASE_URL: database.url,
    KAFKA_BROKERS: payment.proxy.brokers.join(),
  });
  closing.push(() => service.end('SIGKILL'));
  const isMember = async () => (await service.metrics()).includes('consumer_group_member{group="payment-group"} 1');
  await until('payment is in its group', isMember);
  const broken = payment.proxy.breakAt('Produce', 'silent');
  await direct.publish('order-events', [stockReserved(randomUUID())]);
  await broken;
  const exit = service.end('SIGTERM');
  await until('the process has ended', () => service.child.exitCode !== null, { timeoutMs: 25_000 });
  expect(await exit).toEqual([0, null]);
  expect(service.lines.filter((line) => line.includes('Could not be stopped'))).toEqual([]);
  await payment.proxy.set('pass');
}, 120_000);
