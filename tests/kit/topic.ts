import { randomUUID } from 'node:crypto';
import { Kafka, logLevel } from 'kafkajs';
import { until } from './until.ts';

export const brokers = (process.env.TEST_KAFKA_BROKERS ?? '').split(',');
const kafka = new Kafka({ brokers, clientId: 'test', logLevel: logLevel.NOTHING });

export interface Message {
  partition: number;
  key: string;
  value: string;
  headers: Record<string, string>;
}

/** Makes a topic of the test's own. */
export async function createTopic(numPartitions: number): Promise<string> {
  const topic = `test-${randomUUID()}`;
  const admin = kafka.admin();
  await admin.connect();
  await admin.createTopics({ topics: [{ topic, numPartitions, replicationFactor: 1 }], waitForLeaders: true });
  await admin.disconnect();
  return topic;
}

/** Reads a topic from its beginning on, as a consumer group of its own. */
export async function readTopic(topic: string) {
  const messages: Message[] = [];
  const consumer = kafka.consumer({ groupId: randomUUID(), maxWaitTimeInMs: 100 });
  await consumer.connect();
  await consumer.subscribe({ topic, fromBeginning: true });
  await consumer.run({
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
  const ids = () => new Set(messages.map(({ headers }) => headers.ce_id));
  return {
    messages,
    ids,
    has: (wanted: string[]) =>
      until('the topic has all events', () => {
        const there = ids();
        return wanted.every((id) => there.has(id));
      }),
    close: () => consumer.disconnect(),
  };
}

/** What a consumer sees that skips an event that it has seen. */
export function withoutRepeats(messages: Message[]): Message[] {
  const seen = new Set<string | undefined>();
  return messages.filter(({ headers: { ce_id } }) => !seen.has(ce_id) && seen.add(ce_id));
}
