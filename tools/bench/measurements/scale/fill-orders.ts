import { createHash } from 'node:crypto';
import pg from 'pg';
import type { Log } from '../../measurement.ts';

/** As PostgreSQL makes it of the same text: md5('account ' || n)::uuid */
export function accountId(n: number): string {
  const hex = createHash('md5').update(`account ${n}`).digest('hex');
  return hex.replace(/^(.{8})(.{4})(.{4})(.{4})(.{12})$/, '$1-$2-$3-$4-$5');
}

export const ordersPerAccount = 100;
const batch = 500_000;

/**
 * Fills the database of the order service with delivered orders of three lines, a hundred of each account, in the order in
 * which they were placed by all accounts in turn. Runs once: the rows are kept.
 */
export async function fillOrders(database: string, accounts: number, log: Log): Promise<void> {
  const client = new pg.Client({ connectionString: database });
  await client.connect();
  try {
    const count = accounts * ordersPerAccount;
    const { rows } = await client.query('select count(*)::int as count from (select from orders limit $1) as found', [
      count,
    ]);
    if (rows[0].count === count) return;
    log(`inserting ${count} orders, once`);
    await client.query(`begin; set local maintenance_work_mem = '1GB'; truncate orders, order_items`);
    // Made after the rows, which takes a third of the time.
    const made = await dropIndexes(client, ['orders', 'order_items']);
    for (let from = 0; from < count; from += batch) {
      const to = Math.min(from + batch, count);
      await client.query(delivered, [from, to, accounts, count]);
      log(`${to} orders`);
    }
    for (const statement of made) await client.query(statement);
    await client.query('commit');
    await client.query('vacuum (analyze) orders, order_items');
  } finally {
    await client.end();
  }
}

/** One every four seconds until yesterday. */
const delivered = `
  with placed as (
    insert into orders (id, account_id, status, total_amount, currency, created_at, updated_at, paid_at, shipped_at)
    select gen_random_uuid(), md5('account ' || n % $3::int)::uuid, 'CONFIRMED', 3.75, 'USD', at, at, at, at
    from generate_series($1::int, $2::int - 1) as n,
         lateral (select now() - interval '1 day' - ($4::int - n) * interval '4 seconds' as at) as time
    returning id
  )
  insert into order_items (order_id, position, product_id, quantity, unit_price)
  select id, position, gen_random_uuid(), 1, 1.25 from placed, generate_series(1, 3) as position`;

/** Drops the constraints and indexes of tables. @returns the statements that make them again */
async function dropIndexes(client: pg.Client, tables: string[]): Promise<string[]> {
  const constraints = await client.query<{ drop: string; make: string }>(
    `select format('alter table %s drop constraint %I', conrelid::regclass, conname) as drop,
            format('alter table %s add constraint %I %s', conrelid::regclass, conname, pg_get_constraintdef(oid)) as make
     from pg_constraint where conrelid = any($1::text[]::regclass[]) and contype in ('p', 'u', 'f')
     order by contype = 'f'`,
    [tables],
  );
  for (const { drop } of constraints.rows.toReversed()) await client.query(drop);
  const indexes = await client.query<{ drop: string; make: string }>(
    `select format('drop index %s', indexrelid::regclass) as drop, pg_get_indexdef(indexrelid) as make
     from pg_index where indrelid = any($1::text[]::regclass[])`,
    [tables],
  );
  for (const { drop } of indexes.rows) await client.query(drop);
  return [...indexes.rows, ...constraints.rows].map(({ make }) => make);
}
