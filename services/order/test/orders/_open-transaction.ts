import pg from 'pg';
import { queryOnce } from '../../../../tests/kit/postgres/database.ts';
import { until } from '../../../../tests/kit/until.ts';

/**
 * Does `work` while a transaction is open that has run `sql`; it is committed when the work is done.
 * @param work gets the rows of `sql`, and a function that waits for so many others to wait for a lock
 */
export async function whileHolding<T>(
  databaseUrl: string,
  sql: string,
  values: unknown[],
  work: (rows: { id: string }[], waiting: (count: number) => Promise<void>) => Promise<T>,
): Promise<T> {
  const client = new pg.Client({ connectionString: databaseUrl });
  await client.connect();
  const blocked = 'select from pg_stat_activity where datname = current_database() and wait_event_type = $$Lock$$';
  const waiting = (count: number) =>
    until(`${count} wait for the lock`, async () => (await queryOnce(databaseUrl, blocked)).length >= count);
  try {
    await client.query('begin');
    const { rows } = await client.query<{ id: string }>(sql, values);
    const result = await work(rows, waiting);
    await client.query('commit');
    return result;
  } finally {
    await client.end();
  }
}
