import { randomUUID } from 'node:crypto';
import { startConsumer } from '@store/shared/messaging/consumer/consumer';
import { probe } from '@store/shared/messaging/kafka/admin';
import { createKafka } from '@store/shared/messaging/kafka/client';
import { createPublisher } from '@store/shared/messaging/kafka/publisher';
import { startWatchdog } from '@store/shared/messaging/kafka/watchdog';
import { startRelay } from '@store/shared/messaging/outbox/relay';
import { createLog } from '@store/shared/observability/log';
import { type ApiName, createKafkaProxy } from '../../../tests/kit/kafka/kafka-proxy.ts';
import { brokers, createTopic, readTopic } from '../../../tests/kit/kafka/topic.ts';
import { createTestDatabase } from '../../../tests/kit/postgres/database.ts';
import { useServices } from '../../../tests/kit/service-process.ts';
import type { ProxyMode } from '../../../tests/kit/tcp-proxy.ts';
import { until } from '../../../tests/kit/until.ts';
import { stockReserved, testPayments } from './_payments.ts';

const log = createLog('payment', process.env.TEST_LOG ?? 'silent');
const direct = createPublisher({ brokers, clientId: 'test', log });
const startService = useServices();
const closing: (() => Promise<unknown>)[] = [direct.close];

type Payment = Awaited<ReturnType<typeof startPayment>>;

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
  service.startJobs();
  const name = await createTopic(1);
  const topic = await readTopic(name);
  closing.push(topic.close);
  const group = `payment-${randomUUID()}`;
  const broker = { brokers: proxy.brokers, clientId: 'payment', log };
  const publisher = createPublisher(broker);
  closing.push(() => publisher.close());
  const relay = startRelay({ databaseUrl: database.url, topic: name, publishers: [publisher], log });
  closing.push(relay.stop);
  const start = () => {
    const consumer = startConsumer({
      ...service.processorOf({ ...service.group, name: group }),
      topics: [name],
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

async function committed({ group, name }: Payment): Promise<boolean> {
  const admin = createKafka({ brokers, clientId: 'test', log }).admin();
  await admin.connect();
  const [offsets] = await admin.fetchOffsets({ groupId: group, topics: [name] });
  const [{ high = '' } = {}] = await admin.fetchTopicOffsets(name);
  await admin.disconnect();
  return offsets?.partitions[0]?.offset === high;
}

/** Waits until an event has been fetched and handled, its result is published by the relay, and all offsets are committed. */
async function works(payment: Payment, after: string, timeoutMs: number): Promise<void> {
  const orderId = randomUUID();
  await direct.publish(payment.name, [stockReserved(orderId)]);
  const isPaid = () =>
    payment.topic.messages.some(({ key, headers }) => key === orderId && headers.ce_type === 'OrderPaid');
  await until(`the order is paid after ${after}`, isPaid, { timeoutMs });
  await until(`all offsets are committed after ${after}`, () => committed(payment), { timeoutMs });
}

const modes: ProxyMode[] = ['refuse', 'close', 'http', 'cut', 'silent'];
const steps: ApiName[] = ['Fetch', 'Heartbeat', 'Produce', 'OffsetCommit', 'JoinGroup', 'ApiVersions'];

/** Checks that group and relay work again within 30 s after a connection breaks at this step, in each way. */
async function worksAgainAfter(step: ApiName): Promise<void> {
  const payment = await startPayment();
  await works(payment, 'the start', 60_000);
  for (const mode of modes) {
    const broken = payment.proxy.breakAt(step, mode);
    // Provokes the step: JoinGroup and ApiVersions need a consumer that starts, the others a new event.
    if (step === 'JoinGroup' || step === 'ApiVersions') {
      await payment.consumer.stop();
      payment.consumer = payment.start();
    } else {
      await direct.publish(payment.name, [stockReserved(randomUUID())]);
    }
    await broken;
    await until(`a connection is broken by ${mode}`, () => payment.proxy.affected() > 0);
    await payment.proxy.set('pass');
    await works(payment, mode, 30_000);
  }
}

async function isRenewedWhenDeaf(): Promise<void> {
  const payment = await startPayment();
  await works(payment, 'the start', 60_000);
  await payment.consumer.stop();
  payment.proxy.silenceAt('JoinGroup');
  payment.consumer = payment.start();
  const lines: string[] = [];
  const unanswered: string[] = [];
  const watchdog = startWatchdog({
    watched: [payment.publisher, payment.consumer],
    probe: () => probe(payment.broker, payment.name, payment.group),
    onUnanswered: (name) => unanswered.push(name),
    log: createLog('payment', 'warn', { write: (line) => void lines.push(line) }),
    probeEveryMs: 500,
  });
  closing.push(async () => watchdog.stop());
  await until('the consumer counts as unanswered', () => unanswered.length > 0, { timeoutMs: 90_000 });
  expect(unanswered).toEqual(['consumer']);
  expect(lines).toHaveLength(1);
  payment.proxy.silenceAt(undefined);
  await works(payment, 'the silence', 30_000);
}

async function stopsWhileSilent(): Promise<void> {
  const proxy = await createKafkaProxy();
  closing.push(proxy.close);
  const database = await createTestDatabase('payment');
  closing.push(database.drop);
  const service = await startService('services/payment/src/main.ts', {
    DATABASE_URL: database.url,
    KAFKA_BROKERS: proxy.brokers.join(),
    ORDER_URL: 'http://unused',
  });
  const isMember = async () => (await service.metrics()).includes('consumer_group_member{group="payment-group"} 1');
  await until('payment is in its group', isMember);
  const broken = proxy.breakAt('Produce', 'silent');
  await direct.publish('order-events', [stockReserved(randomUUID())]);
  await broken;
  const exit = service.end('SIGTERM');
  await until('the process has ended', () => service.child.exitCode !== null, { timeoutMs: 25_000 });
  expect(await exit).toEqual([0, null]);
  expect(service.lines.filter((line) => line.includes('Could not be stopped'))).toEqual([]);
  await proxy.set('pass');
}

describe('a broken connection', () => {
  const cases: Record<string, () => Promise<void>> = {
    ...Object.fromEntries(
      steps.map((step) => [`at ${step} leaves group and relay working within 30 s`, () => worksAgainAfter(step)]),
    ),
    'that is silent for one consumer only is renewed, and then ends the process': isRenewedWhenDeaf,
    'lets a service stop within its grace period, in the middle of a fetch and a batch': stopsWhileSilent,
  };
  let running: Record<string, Promise<void>>;

  // The cases mostly wait, so they run at the same time, each with a payment service of its own.
  beforeAll(() => {
    running = Object.fromEntries(Object.entries(cases).map(([name, run]) => [name, run()]));
    for (const result of Object.values(running)) result.catch(() => undefined); // the case's own test reports it
  });

  it.each(Object.keys(cases))('%s', (name) => running[name], 300_000);
});
