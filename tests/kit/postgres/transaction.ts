import pg from 'pg';
import { until } from '../until.ts';
import { queryOnce } from './database.ts';

/** A transaction of which the database knows that it may write. */
export async function openTransaction(databaseUrl: string): Promise<pg.Client> {
  const client = new pg.Client({ connectionString: databaseUrl });
  client.on('error', () => undefined); // where a test fails, its database goes before the client
  await client.connect();
  await client.query('begin');
  await client.query('select pg_current_xact_id()');
  return client;
}

export async function commit(...clients: pg.Client[]): Promise<void> {
  for (const client of clients) await client.query('commit');
  for (const client of clients) await client.end();
}

/** Does `work` while a transaction is open that has run `sql`; it is committed when the work is done. */
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

/** Begins work while a transaction is open that has run `sql`, and commits that when `count` others wait for its locks. */
export async function blockedBy<T>(
  databaseUrl: string,
  sql: string,
  values: unknown[],
  count: number,
  begin: () => Promise<T>,
): Promise<T> {
  const blocked = 'select from pg_stat_activity where datname = current_database() and wait_event_type = $$Lock$$';
  const { outcome } = await whileHolding(databaseUrl, sql, values, async () => {
    const outcome = begin();
    await until(`${count} wait for the lock`, async () => (await queryOnce(databaseUrl, blocked)).length >= count);
    return { outcome };
  });
  return outcome;
}
