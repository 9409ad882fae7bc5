import { randomUUID } from 'node:crypto';
import { openDatabase } from '@store/shared/database/database';
import { sql } from '@store/shared/database/sql';
import { type ConsumerOptions, startConsumer } from '@store/shared/messaging/consumer/consumer';
import type { ConsumerGroup } from '@store/shared/messaging/consumer/group';
import { listDeadLetters } from '@store/shared/messaging/consumer/redrive';
import type { DeadLetter } from '@store/shared/messaging/dead-letters/dead-letters';
import type { EventKind, Payload, StoredEvent } from '@store/shared/messaging/events';
import { createKafka } from '@store/shared/messaging/kafka/client';
import type { RawMessage } from '@store/shared/messaging/kafka/messages';
import { createPublisher } from '@store/shared/messaging/kafka/publisher';
import type { Subscription } from '@store/shared/messaging/kafka/subscription';
import { createLog } from '@store/shared/observability/log';
import type { Admin } from 'kafkajs';
import { storedEvent } from '../../../../tests/kit/kafka/order-events.ts';
import { brokers, createTopic } from '../../../../tests/kit/kafka/topic.ts';
import { createTestDatabase } from '../../../../tests/kit/postgres/database.ts';
import { until } from '../../../../tests/kit/until.ts';
import { PrismaClient } from '../../src/generated/client.ts';

export const customerId = 'c0570e00-3a52-4d0f-9f0e-0d8a55a1c001';

export const silent = { brokers, clientId: 'test', log: createLog('test', 'silent') };
export const kafka = createKafka(silent);

/** An event of an order. Its meaning does not matter here. */
export function anEvent<K extends EventKind = 'OrderCancelled'>(
  orderId: string = randomUUID(),
  kind: K = 'OrderCancelled' as K,
  more: Partial<Payload<K>> = { reason: 'why not' } as unknown as Partial<Payload<K>>,
): StoredEvent {
  return storedEvent(kind, { orderId, customerId, ...more } as never);
}

export function rawOf({ id, kind, key, payload }: StoredEvent, more: Partial<RawMessage> = {}): RawMessage {
  return { key, value: payload, headers: { ce_id: id, ce_type: kind }, ...more };
}

type Group = ConsumerGroup<PrismaClient>;
type StartOptions = Omit<Partial<ConsumerOptions<PrismaClient>>, 'group'> & { name?: string; group?: Partial<Group> };

/** A fixture for each test of a file or a `describe`, or one for all of them. It has properties from the first hook on. */
export function useFixture(partitions = 1, tests: 'all' | 'each' = 'each'): Fixture {
  const later = {} as Fixture;
  const [before, after] = tests === 'all' ? [beforeAll, afterAll] : [beforeEach, afterEach];
  before(async () => void Object.assign(later, await createFixture(partitions)));
  after(() => later.close());
  return later;
}

/** A new topic, a new group, and a table in which its handlers record events. */
export async function createFixture(partitions = 1) {
  const { url: databaseUrl, drop } = await createTestDatabase('consumers');
  const topic = await createTopic(partitions);
  const group = `test-${randomUUID()}`;
  const database = openDatabase(PrismaClient, databaseUrl);
  await database.run(sql`create table handled_events (n bigserial, event_id uuid, order_id uuid, by text)`);
  const publisher = createPublisher(silent);
  const closing: (() => Promise<unknown>)[] = [drop, database.close, () => publisher.close()];
  /** A group that records each event as handled and then calls `handle`, in the transaction. */
  const consumerGroup = (
    handle: (eventId: string) => Promise<void> = async () => undefined,
    by = 'a',
    more: Partial<Group> = {},
  ): Group => ({
    name: group,
    kinds: ['OrderCancelled'],
    chunkSize: 100,
    async handle(events, tx) {
      for (const { event } of events) {
        const { id, payload } = event;
        await tx.run(
          sql`insert into handled_events (event_id, order_id, by) values (${id}, ${payload.orderId}, ${by})`,
        );
        await handle(id);
      }
    },
    ...more,
  });

  return {
    topic,
    group,
    publisher,
    databaseUrl,
    database,
    consumerGroup,

    publish: (...events: StoredEvent[]) => publisher.publish(topic, events),
    send: (...messages: RawMessage[]) => publisher.send(topic, messages),

    /**
     * @param handle called in the transaction of the event, after it was recorded
     * @param options `name` is recorded with the handled events; `group` changes the group, the rest the consumer
     */
    start(
      handle?: (eventId: string) => Promise<void>,
      { name, group: more, ...options }: StartOptions = {},
    ): Subscription {
      const consumer = startConsumer({
        group: consumerGroup(handle, name, more),
        database,
        connect: (signal) => createKafka({ ...silent, signal }),
        topics: [topic],
        sender: publisher,
        log: createLog('test', 'silent'),
        retry: { attempts: 3, firstDelayMs: 50, multiplier: 2 },
        ...options,
      });
      closing.push(() => consumer.stop());
      return consumer;
    },

    /** The ids of the handled events, in the order in which they were handled. */
    async handled(): Promise<string[]> {
      const rows = await database.run<{ id: string }>(sql`select event_id::text as id from handled_events order by n`);
      return rows.map(({ id }) => id);
    },
    async has(...events: StoredEvent[]): Promise<void> {
      await until('all events are handled', async () => {
        const ids = new Set(await this.handled().catch(() => [])); // a test may have ended the connection
        return events.every(({ id }) => ids.has(id));
      });
    },
    /** The sum of the group's committed offsets in all partitions. */
    async committed(): Promise<number> {
      // Fails while the first group of a broker waits for its coordinator.
      const [offsets] = await withAdmin((admin) => admin.fetchOffsets({ groupId: group, topics: [topic] })).catch(
        () => [],
      );
      return (offsets?.partitions ?? []).reduce((sum, { offset }) => sum + Math.max(0, Number(offset)), 0);
    },
    /** Like `kafka-consumer-groups --reset-offsets --to-earliest`. The group must be empty. */
    reset: () => withAdmin((admin) => admin.resetOffsets({ groupId: group, topic, earliest: true })),
    withAdmin,
    /** The open dead letters, in order of id. */
    async deadLetters(): Promise<DeadLetter[]> {
      const { letters } = await listDeadLetters({ broker: silent, group: consumerGroup(), database });
      return letters.sort((a, b) => (a.id < b.id ? -1 : 1));
    },
    onEnd: (close: () => Promise<unknown>) => void closing.push(close),
    async close() {
      for (const close of closing.reverse()) await close();
    },
  };
}

async function withAdmin<T>(work: (admin: Admin) => Promise<T>): Promise<T> {
  const admin = kafka.admin();
  await admin.connect();
  return work(admin).finally(admin.disconnect);
}

export type Fixture = Awaited<ReturnType<typeof createFixture>>;

export const times = <T>(count: number, make: (index: number) => T) =>
  Array.from({ length: count }, (_, index) => make(index));
