import pg from 'pg';
import { until } from '../until.ts';
import { queryOnce } from './database.ts';

const blocked = 'select from pg_stat_activity where datname = current_database() and wait_event_type = $$Lock$$';

/** A transaction that has a transaction id, as a writing one does. */
export async function openTransaction(databaseUrl: string): Promise<pg.Client> {
  const client = new pg.Client({ connectionString: databaseUrl });
  client.on('error', () => undefined); // if a test fails, its database is dropped before the client ends
  await client.connect();
  await client.query('begin isolation level read committed');
  await client.query('select pg_current_xact_id()');
  return client;
}

export async function commit(...clients: pg.Client[]): Promise<void> {
  for (const client of clients) await client.query('commit');
  for (const client of clients) await client.end();
}

/** Does `work` while a transaction that has run `sql` is open, then commits it. */
export async function whileHolding<T>(
  databaseUrl: string,
  sql: string,
  values: unknown[],
  work: () => Promise<T>,
): Promise<T> {
  const client = await openTransaction(databaseUrl);
  try {
    await client.query(sql, values);
    const result = await work();
    await client.query('commit');
    return result;
  } finally {
    await client.end();
  }
}

/** Begins work while a transaction that has run `sql` is open, and commits it once `count` others wait for its locks. */
export async function blockedBy<T>(
  databaseUrl: string,
  sql: string,
  values: unknown[],
  count: number,
  begin: () => Promise<T>,
): Promise<T> {
  const { outcome } = await whileHolding(databaseUrl, sql, values, async () => {
    const outcome = begin();
    await until(`${count} wait for the lock`, async () => (await queryOnce(databaseUrl, blocked)).length >= count);
    return { outcome };
  });
  return outcome;
}

/**
 * Begins work that locks rows while the first row is held, until the work waits for it. Use {@link planWithoutOrder} with it, because
 * many plans happen to sort.
 * @param keys of the rows, in the order in which they should be locked
 * @returns the keys of rows that were locked before the first one; must be empty, or two such operations could deadlock
 */
export async function lockedOutOfOrder(
  databaseUrl: string,
  { table, key }: { table: string; key: string },
  keys: readonly string[],
  begin: () => Promise<unknown>,
): Promise<string[]> {
  const rows = `from ${table} where ${key} = any($1::text[]) for update`;
  const [first, ...others] = keys;
  const found = { done: Promise.resolve() as Promise<unknown>, free: [] as string[] };
  await whileHolding(databaseUrl, `select ${rows}`, [[first]], async () => {
    found.done = begin();
    await until('it waits for the first row', async () => (await queryOnce(databaseUrl, blocked)).length > 0);
    const client = await openTransaction(databaseUrl);
    const free = await client.query<{ key: string }>(`select ${key} as key ${rows} skip locked`, [others]);
    found.free = free.rows.map((row) => row.key);
    await commit(client);
  });
  await found.done;
  return others.filter((other) => !found.free.includes(other));
}

/** Makes new connections to a database read rows as they are stored, and group them without sorting. */
export async function planWithoutOrder(databaseUrl: string): Promise<void> {
  const name = new URL(databaseUrl).pathname.slice(1);
  for (const plan of ['indexscan', 'indexonlyscan', 'bitmapscan', 'sort'])
    await queryOnce(databaseUrl, `alter database "${name}" set enable_${plan} = off`);
}

/** Does `work` while each transaction that has changed a table fails at its commit. */
export async function whileCommitsFail<T>(databaseUrl: string, table: string, work: () => Promise<T>): Promise<T> {
  await queryOnce(
    databaseUrl,
    `create function refuse_commit() returns trigger language plpgsql as $$ begin raise 'refused at commit'; end $$;
     create constraint trigger refuse_commit after insert or update or delete on ${table} initially deferred
     for each row execute function refuse_commit()`,
  );
  try {
    return await work();
  } finally {
    await queryOnce(databaseUrl, 'drop function refuse_commit() cascade');
  }
}
