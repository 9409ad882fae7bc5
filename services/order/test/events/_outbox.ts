import pg from 'pg';
import { type Message, withoutRepeats } from '../../../../tests/kit/kafka/topic.ts';

/** The outbox of a database, seen from beside the relay. */
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

    /** Events n = 1, 2, … of `keys` keys in turn; nobody is notified. Returns their ids. */
    async fill(events: number, { keys = 50, filler = 0 } = {}): Promise<string[]> {
      const { rows } = await pool.query(
        `insert into outbox (id, kind, key, payload, created_at)
         select gen_random_uuid(), 'OrderCreated', 'key-' || n % $2, json_build_object('n', n, 'filler', repeat('x', $3)), now()
         from generate_series(1, $1::int) as n order by n returning id`,
        [events, keys, filler],
      );
      return rows.map(({ id }) => id);
    },

    /** Returns the ids of each key's events in the order in which they were written. */
    async idsByKey(): Promise<Map<string, string[]>> {
      const { rows } = await pool.query('select key, array_agg(id order by seq) as ids from outbox group by key');
      return new Map(rows.map(({ key, ids }) => [key, ids]));
    },

    /** Ends the connections of all relays of this database, as a restart of the database does, or of so many. */
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

/** Returns the n of each key's events in the order in which a consumer handles them. */
export function byKey(messages: Message[]): number[][] {
  const numbers = new Map<string, number[]>();
  for (const { key, value } of withoutRepeats(messages)) {
    numbers.set(key, [...(numbers.get(key) ?? []), JSON.parse(value).n]);
  }
  return [...numbers.values()];
}

export const isAscending = (numbers: number[]) =>
  numbers.every((n, index) => index === 0 || n > (numbers[index - 1] ?? 0));
