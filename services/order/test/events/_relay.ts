import { createPublisher, type Publisher } from '@store/shared/messaging/kafkajs/publisher';
import { startRelay } from '@store/shared/messaging/outbox/relay';
import { createLog } from '@store/shared/observability/log';
import { brokers, createTopic, readTopic } from '../../../../tests/kit/kafka/topic.ts';
import { createTestDatabase } from '../../../../tests/kit/postgres/database.ts';
import { outboxOf } from './_outbox.ts';

/** An outbox in a database of the test's own, with relays, publishers and topics that `close` stops. */
export async function createFixture() {
  const database = await createTestDatabase('order');
  const outbox = outboxOf(database.url);
  /** Run in reverse order. */
  const closing: (() => Promise<unknown>)[] = [database.drop, outbox.close];

  return {
    outbox,
    databaseUrl: database.url,

    startRelay(publisher: Publisher | Publisher[], { topic = 'any', databaseUrl = database.url } = {}) {
      const lines: string[] = [];
      const log = createLog('relay', 'info', { write: (line: string) => void lines.push(JSON.parse(line).msg) });
      const relay = startRelay({ databaseUrl, topic, publishers: [publisher].flat(), log });
      closing.push(relay.stop);
      return { ...relay, lines, isActive: () => lines.includes('The relay is active') };
    },
    createPublisher(bootstrap = brokers): Publisher {
      const log = createLog('publisher', 'silent');
      const publisher = createPublisher({ brokers: bootstrap, clientId: 'order', log });
      closing.push(publisher.close);
      return publisher;
    },
    async createTopic(partitions: number) {
      const name = await createTopic(partitions);
      const topic = await readTopic(name);
      closing.push(topic.close);
      return { name, ...topic };
    },
    /** Closed after everything that was opened before. */
    closeLast: (close: () => Promise<unknown>) => void closing.unshift(close),
    async close() {
      for (const close of closing.reverse()) await close();
    },
  };
}

export type Fixture = Awaited<ReturnType<typeof createFixture>>;

/** A fake broker; a test may make `accept` hold or refuse a batch. */
export function fakePublisher() {
  const fake = {
    /** The event ids of each batch. */
    batches: [] as string[][],
    accept: async (): Promise<void> => undefined,
    async publish(_topic: string, events: { id: string }[]) {
      fake.batches.push(events.map(({ id }) => id));
      await fake.accept();
    },
    close: async () => undefined,
  };
  return fake;
}
