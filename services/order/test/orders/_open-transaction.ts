import pg from 'pg';

/** Does `work` while a transaction is open that has run `sql`; it is committed when the work is done. */
export async function whileHolding<T>(
  databaseUrl: string,
  sql: string,
  values: unknown[],
  work: (rows: { id: string }[]) => Promise<T>,
): Promise<T> {
  const client = new pg.Client({ connectionString: databaseUrl });
  await client.connect();
  try {
    await client.query('begin');
    const { rows } = await client.query<{ id: string }>(sql, values);
    const result = await work(rows);
    await client.query('commit');
    return result;
  } finally {
    await client.end();
  }
}
