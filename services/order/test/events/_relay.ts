import { createPublisher, type Publisher } from '@store/shared/messaging/kafka/publisher';
import { startRelay } from '@store/shared/messaging/outbox/relay';
import { createLog } from '@store/shared/observability/log';
import pg from 'pg';
import { brokers, createTopic, type Message, readTopic, withoutRepeats } from '../../../../tests/kit/kafka/topic.ts';
import { until } from '../../../../tests/kit/until.ts';

/** The outbox of a database, on connections other than the relay's. */
export function outboxOf(databaseUrl: string) {
  const pool = new pg.Pool({ connectionString: databaseUrl, max: 4 });
  pool.on('error', () => undefined); // a test ends its connections

  async function count(condition: string): Promise<number> {
    const { rows } = await pool.query(`select count(*)::int as count from outbox where ${condition}`);
    return rows[0].count;
  }

  return {
    pool,
    sent: () => count('sent_at is not null'),
    unsent: () => count('sent_at is null'),
    untilSent: (events: number) =>
      until(`${events} events are marked as sent`, async () => (await count('sent_at is not null')) === events),
    /** Waits until a relay has tried to become active, and another relay was active already. */
    untilStandby: () =>
      until('a relay stands by', async () => {
        const { rows } = await pool.query(
          `select from pg_stat_activity where datname = current_database() and application_name = 'outbox-relay'
             and state = 'idle' and query like 'select pg_try_advisory_lock(%'
             and pid not in (select pid from pg_locks where locktype = 'advisory' and mode = 'ExclusiveLock')`,
        );
        return rows.length > 0;
      }),
    untilAllSent: () => until('all events are marked as sent', async () => (await count('sent_at is null')) === 0),

    /** Writes events n = 1, 2, … of `keys` keys in turn, without a notification. @returns their ids */
    async fill(events: number, { keys = 50, filler = 0 } = {}): Promise<string[]> {
      const { rows } = await pool.query(
        `insert into outbox (id, kind, key, payload, created_at)
         select gen_random_uuid(), 'Filler', 'key-' || n % $2, json_build_object('n', n, 'filler', repeat('x', $3)), now()
         from generate_series(1, $1::int) as n order by n returning id`,
        [events, keys, filler],
      );
      return rows.map(({ id }) => id);
    },

    /** Returns the ids of each key's events, in the order in which they were written. */
    async idsByKey(): Promise<Map<string, string[]>> {
      const { rows } = await pool.query('select key, array_agg(id order by seq) as ids from outbox group by key');
      return new Map(rows.map(({ key, ids }) => [key, ids]));
    },

    /** Ends the connections of this database's relays, as a restart of the database does: of all relays, or of the given number. */
    async cutRelays(most?: number): Promise<number> {
      const { rowCount } = await pool.query(
        `select pg_terminate_backend(pid) from pg_stat_activity
         where datname = current_database() and application_name = 'outbox-relay' order by random() limit $1`,
        [most],
      );
      return rowCount ?? 0;
    },

    close: () => pool.end(),
  };
}

/** Expects `count` events, and those of each key in the order in which they were written, as a consumer handles them. */
export function expectInOrder(messages: Message[], count: number): void {
  const firsts = withoutRepeats(messages).map(({ key, value }) => ({ key, n: JSON.parse(value).n as number }));
  expect(firsts).toHaveLength(count);
  for (const events of Map.groupBy(firsts, ({ key }) => key).values())
    expect(events).toEqual(events.toSorted((one, other) => one.n - other.n));
}

/** Relays of a database, publishers and topics. They are closed in reverse order. */
export function relaysOn(databaseUrl: string) {
  const closing: (() => Promise<unknown>)[] = [];
  return {
    start(publisher: Publisher | Publisher[], { topic = 'any', url = databaseUrl } = {}) {
      const lines: string[] = [];
      const log = createLog('relay', 'info', { write: (line: string) => void lines.push(JSON.parse(line).msg) });
      const relay = startRelay({ databaseUrl: url, topic, publishers: [publisher].flat(), log });
      closing.push(relay.stop);
      return { ...relay, lines, isActive: () => lines.includes('The relay is active') };
    },
    createPublisher(to = brokers): Publisher {
      const publisher = createPublisher({ brokers: to, clientId: 'order', log: createLog('publisher', 'silent') });
      closing.push(publisher.close);
      return publisher;
    },
    async createTopic(partitions: number) {
      const name = await createTopic(partitions);
      const topic = await readTopic(name);
      closing.push(topic.close);
      return { name, ...topic };
    },
    async close() {
      for (const close of closing.reverse()) await close();
    },
  };
}

export type Relay = ReturnType<ReturnType<typeof relaysOn>['start']>;

/** A publisher to a fake broker. A test may make `accept` delay or refuse a batch. */
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
