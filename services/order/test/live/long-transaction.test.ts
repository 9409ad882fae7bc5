import pg from 'pg';
import { createTestDatabase, queryOnce, type TestDatabase } from '../../../../tests/kit/postgres/database.ts';
import { until } from '../../../../tests/kit/until.ts';
import { alice } from '../_app.ts';
import { beganStream, startReplica } from './_streams.ts';

let database: TestDatabase;
let replica: Awaited<ReturnType<typeof startReplica>>;

beforeAll(async () => {
  database = await createTestDatabase('order');
  replica = await startReplica(database.url);
});

afterAll(async () => {
  await replica.stop();
  await database.drop();
});

/** An order of this account, and as many of others. */
const place = (accountId: string, others = 0) =>
  queryOnce(
    database.url,
    `insert into orders (id, account_id, status, total_amount, currency, created_at, updated_at)
     select gen_random_uuid(), case n when 0 then '${accountId}'::uuid else gen_random_uuid() end,
       'PENDING', 1, 'USD', now(), now() from generate_series(0, ${others}) as n`,
  );

/** How often the log was read by now, and how many rows of it, as PostgreSQL has counted. */
async function reads(): Promise<{ scans: number; rows: number }> {
  const [counted] = await queryOnce<{ scans: string; rows: string }>(
    database.url,
    `select seq_scan + idx_scan as scans, seq_tup_read + idx_tup_fetch as rows
     from pg_stat_user_tables where relname = 'order_changes'`,
  );
  return { scans: Number(counted?.scans), rows: Number(counted?.rows) };
}

it.each([
  ['before its statistics are known', ''],
  ['after', 'analyze order_changes'],
])('what was committed beside a long transaction is read once, %s', async (_, statistics) => {
  const long = new pg.Client({ connectionString: database.url });
  await long.connect();
  await long.query('begin');
  await long.query('select pg_current_xact_id()');
  long.on('error', () => undefined);
  const stream = await beganStream(replica.url);
  const begin = await reads();
  await place(alice, 4_000);
  await until('the change has come', () => stream.statuses().length === 1);
  if (statistics !== '') await queryOnce(database.url, statistics);
  await until('the reads so far are counted', async () => (await reads()).rows >= begin.rows + 4_000);

  const before = await reads();
  await until('the log was read ten times more', async () => {
    await place(alice);
    return (await reads()).scans > before.scans + 10;
  });
  const { rows } = await reads();
  expect(rows - before.rows).toBeLessThan(2_000);
  stream.break();
  await long.query('commit');
  await long.end();
});
