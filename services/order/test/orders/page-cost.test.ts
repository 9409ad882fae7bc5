import { sql } from '@store/shared/database/sql';
import { useDatabase } from '../../../../tests/kit/postgres/database.ts';
import { blocksOf, explain, nodesOf, type Plan } from '../../../../tests/kit/postgres/plan.ts';
import { recordedStatement } from '../../../../tests/kit/postgres/recorded-statement.ts';
import { until } from '../../../../tests/kit/until.ts';
import { addUpOrderCounts } from '../../src/lists/order-count-repository.ts';
import { createOrderListRepository } from '../../src/lists/order-list-repository.ts';
import { orderQuery } from '../../src/schemas.ts';
import { alice, bob, testApp } from '../_app.ts';

const count = 20_000;
const order = useDatabase('order').open(testApp);

beforeAll(async () => {
  await order.prisma.$executeRaw`
    insert into orders (id, account_id, status, total_amount, currency, created_at, updated_at)
    select gen_random_uuid(), ${alice}::uuid, case when n % 50 = 0 then 'CONFIRMED' else 'PENDING' end,
           n / 100, 'USD', timestamptz '2026-01-01' + n / 10 * interval '1 s', now()
    from generate_series(1, ${count}::int) as n`;
  await order.prisma.$executeRaw`
    insert into orders (id, account_id, status, total_amount, currency, created_at, updated_at)
    select gen_random_uuid(), ${bob}::uuid, 'CONFIRMED', n, 'USD', now(), now() from generate_series(1, 200) as n`;
  await order.prisma.$executeRaw`vacuum (analyze) orders`;
});

/** The part of a page's plan that finds its rows, or the part that counts all orders. */
async function planOf(query: object, part = 'CTE page', account = alice): Promise<Plan> {
  const statement = await recordedStatement((database) =>
    createOrderListRepository(database).page(account, orderQuery.parse({ size: '20', ...query }), new Date()),
  );
  const nodes = await explain(order.database, statement);
  const found = nodes.find((node) => node['Subplan Name']?.startsWith(part));
  if (found === undefined) throw new Error(`no ${part} in ${JSON.stringify(nodes[0])}`);
  return found;
}

/**
 * Blocks that a page may read. For each status it reads at most 20 rows of an index, and one more that shows whether there is
 * a next page. That takes a few blocks, and a block of the table for each recently changed row. Skipping all 20,000 orders
 * would read 200 blocks of the index.
 */
const maxBlocks = 3 * 9;

function expectPage(plan: Plan): void {
  const scans = nodesOf(plan).filter((node) => node['Node Type'].includes('Scan') && node['Index Name'] !== undefined);
  expect(scans.length).toBeGreaterThan(0);
  for (const scan of scans) {
    expect(scan['Index Name']).toMatch(/^orders_shown_status/);
    expect(scan['Actual Rows']).toBeLessThanOrEqual(21);
    expect(scan['Rows Removed by Filter'] ?? 0).toBe(0);
  }
  expect(plan['Actual Rows']).toBe(21);
  expect(blocksOf(plan)).toBeLessThanOrEqual(maxBlocks);
}

/** A cursor after all but the last 100 orders. */
async function deepCursor(sort: string[], filter: { status?: string }): Promise<string> {
  // Requests cannot ask for such a high page number.
  const page = ((filter.status === undefined ? count : count / 50) - 100) / 20 - 1;
  const query = { ...orderQuery.parse({ size: '20', sort, ...filter }), page };
  return (await order.lists.page(alice, query, new Date())).next ?? '';
}

const columns = ['createdAt', 'total', 'id'];
const both = (field: string) => [`${field},asc`, `${field},desc`];
const sorts = [
  ...[...columns, 'status'].flatMap(both).map((sort) => [sort]),
  ...both('status').flatMap((status) => columns.flatMap(both).map((sort) => [status, sort])),
  ['total,desc', 'id,desc'],
  ['status,asc', 'createdAt,desc', 'id,desc'],
];
const cases = sorts.flatMap((sort) => [{}, { status: 'CONFIRMED' }].map((filter) => ({ sort, ...filter })));

describe('a page of orders', () => {
  it.each(cases)('reads only its own rows, both the first and the last page: %j', async (query) => {
    expectPage(await planOf(query));
    const { sort, ...filter } = query;
    const last = await planOf({ ...query, after: await deepCursor(sort, filter) });
    expectPage(last);
    if (sort[0]?.startsWith('status')) return;
    const column = { createdAt: 'created_at', total: 'total_amount' }[sort[0]?.split(',')[0] ?? ''] ?? 'id';
    const conditions = nodesOf(last).flatMap((node) => node['Index Cond'] ?? []);
    for (const condition of conditions) expect(condition).toContain(column);
  });

  // Fields after a time only order equal times. PostgreSQL sorts the orders of each time, some dozen rows at once.
  it.each([
    ['createdAt,desc', 'total,asc'],
    ['createdAt,asc', 'status,desc', 'total,asc'],
    ['status,asc', 'createdAt,desc', 'total,asc'],
  ])('reads some dozen rows with the sort %j, %j, both the first and the last page', async (...sort) => {
    for (const after of [undefined, await deepCursor(sort, {})]) {
      const plan = await planOf({ sort, after });
      expect(plan['Actual Rows']).toBe(21);
      const scans = nodesOf(plan).filter((node) => node['Index Name'] !== undefined);
      for (const scan of scans) expect(scan['Actual Rows']).toBeLessThanOrEqual(100);
      expect(blocksOf(plan)).toBeLessThanOrEqual(10 * maxBlocks);
    }
  });

  it.each([{}, { status: 'CANCELLED' }])('has a total without counting orders one by one, with %j', async (query) => {
    while (await addUpOrderCounts(order.database));
    // VACUUM keeps rows that an older snapshot in this database can see, such as the snapshot of an automatic ANALYZE.
    await until('VACUUM has removed the rows that were added up', async () => {
      await order.prisma.$executeRaw`vacuum (analyze, index_cleanup on) order_counts, order_count_changes`;
      const [table] = await order.database.run<{ bytes: string }>(
        sql`select pg_relation_size('order_count_changes') as bytes`,
      );
      return table?.bytes === '0';
    });
    expect(blocksOf(await planOf(query, 'InitPlan'))).toBeLessThanOrEqual(10);
  });

  it('has a total of PENDING orders without reading their rows', async () => {
    const scan = nodesOf(await planOf({ status: 'PENDING' }, 'InitPlan', bob)).at(-1);
    expect([scan?.['Node Type'], scan?.['Heap Fetches']]).toEqual(['Index Only Scan', 0]);
  });
});
