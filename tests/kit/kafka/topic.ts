import { randomUUID } from 'node:crypto';
import { setTimeout as wait } from 'node:timers/promises';
import { type ITopicConfig, Kafka, logLevel } from 'kafkajs';
import { until } from '../until.ts';

/** The broker that the Jest set-up started; a system test has its own. */
export const brokers = (process.env.TEST_KAFKA_BROKERS ?? '').split(',');
const createKafka = (bootstrap: string[]) =>
  new Kafka({
    brokers: bootstrap,
    clientId: 'test',
    logLevel: logLevel.NOTHING,
    retry: { initialRetryTime: 100, maxRetryTime: 2_000, retries: 5 },
  });

export interface Message {
  partition: number;
  key: string;
  value: string;
  headers: Record<string, string>;
}

/** Creates a topic for one test and returns its name. */
export async function createTopic(numPartitions = 1, configEntries: ITopicConfig['configEntries'] = []) {
  const topic = `test-${randomUUID()}`;
  const admin = createKafka(brokers).admin();
  await admin.connect();
  const topics = [{ topic, numPartitions, replicationFactor: 1, configEntries }];
  // KafkaJS waits for leaders, but fails while the broker does not know the topic yet.
  await admin.createTopics({ topics, waitForLeaders: false });
  // The broker reports itself as the leader a moment before it acts as one.
  const isLed = async () => (await admin.fetchTopicOffsets(topic)).length === numPartitions;
  await until(`${topic} has leaders`, isLed);
  await admin.disconnect();
  return topic;
}

/** Reads a topic from its beginning, in the background, in its own consumer group. */
export async function readTopic(topic: string, bootstrap: string[] = brokers) {
  const messages: Message[] = [];
  const consumer = createKafka(bootstrap).consumer({
    groupId: `test-${randomUUID()}`,
    maxWaitTimeInMs: 100,
    sessionTimeout: 10_000, // after a restart of the broker, the group waits this long for its former member
  });
  const run = () =>
    consumer.run({
      eachMessage: async ({ partition, message }) => {
        const headers = Object.entries(message.headers ?? {}).map(([name, value]) => [name, String(value)]);
        messages.push({
          partition,
          key: String(message.key),
          value: String(message.value),
          headers: Object.fromEntries(headers),
        });
      },
    });
  let isClosed = false;
  // KafkaJS gives up for good if no broker names the group's coordinator, as happens while a broker restarts.
  consumer.on(consumer.events.CRASH, async ({ payload }) => {
    if (payload.restart) return;
    await wait(500);
    if (!isClosed) await run();
  });
  await consumer.connect();
  await consumer.subscribe({ topic, fromBeginning: true });
  await run();
  const ids = () => new Set(messages.map(({ headers }) => headers.ce_id));
  return {
    messages,
    ids,
    has: (expected: string[]) =>
      until(`${topic} has all ${expected.length} events`, () => {
        const published = ids();
        return expected.every((id) => published.has(id));
      }),
    async close() {
      isClosed = true;
      await consumer.disconnect();
    },
  };
}

/** The messages as an idempotent consumer sees them: only the first with each event id. */
export function withoutRepeats(messages: Message[]): Message[] {
  const seen = new Set<string | undefined>();
  return messages.filter(({ headers: { ce_id } }) => !seen.has(ce_id) && seen.add(ce_id));
}
