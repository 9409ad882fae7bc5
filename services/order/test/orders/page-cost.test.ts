import type { Database } from '@store/shared/database/database';
import { useDatabase } from '../../../../tests/kit/postgres/database.ts';
import type { DB } from '../../src/generated/tables.ts';
import { addUpOrderCounts } from '../../src/order-count-repository.ts';
import { createOrderListRepository } from '../../src/order-list-repository.ts';
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

interface Plan {
  'Node Type': string;
  'Actual Rows': number;
  'Index Name'?: string;
  'Index Cond'?: string;
  'Rows Removed by Filter'?: number;
  'Heap Fetches'?: number;
  'Shared Hit Blocks': number;
  'Shared Read Blocks': number;
  'Subplan Name'?: string;
  'Parent Relationship'?: string;
  Plans?: Plan[];
}

interface Statement {
  sql: string;
  parameters: readonly unknown[];
}

/** The statement that reads a page. */
async function statementOf(query: object, account: string): Promise<Statement> {
  const statements: Statement[] = [];
  const { kysely } = order;
  const runOnce = async (statement: Statement) => {
    statements.push(statement);
    return [];
  };
  const inTurn = <T>(_: string, work: () => Promise<T>) => work();
  const repository = createOrderListRepository({ kysely, lists: { runOnce, inTurn } } as unknown as Database<DB>);
  await repository.page(account, orderQuery.parse({ size: '20', ...query }), new Date());
  const [statement] = statements;
  if (statement === undefined) throw new Error('no statement');
  return statement;
}

/** The part of its plan that finds the page's rows, or that counts all. */
async function planOf(query: object, part = 'CTE page', account = alice): Promise<Plan> {
  const plan = await explain(await statementOf(query, account));
  const found = nodesOf(plan).find((node) => node['Subplan Name']?.startsWith(part));
  if (found === undefined) throw new Error(`no ${part} in ${JSON.stringify(plan)}`);
  return found;
}

async function explain({ sql, parameters }: Statement): Promise<Plan> {
  const [row] = await order.prisma.$queryRawUnsafe<{ 'QUERY PLAN': [{ Plan: Plan }] }[]>(
    `explain (analyze, buffers, format json) ${sql}`,
    ...parameters,
  );
  if (row === undefined) throw new Error('no plan');
  return row['QUERY PLAN'][0].Plan;
}

/** The nodes of a plan from the top down. */
const nodesOf = (plan: Plan): Plan[] => [plan, ...(plan.Plans ?? []).flatMap(nodesOf)];

const columnOf: Record<string, string> = { createdAt: 'created_at', total: 'total_amount' };

/**
 * Blocks that a page may read: it reads, of each status, at most 20 rows of an index, and one more that tells whether there
 * is a next page: a few blocks, and as many of the table as rows have been changed lately. Skipping all 20,000 orders would
 * read 200 blocks of the index.
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
  expect(blocks(plan)).toBeLessThanOrEqual(maxBlocks);
}

const blocks = (plan: Plan) => plan['Shared Hit Blocks'] + plan['Shared Read Blocks'];

/** A cursor behind all but the last 100 orders. */
async function deepCursor(sort: string[], filter: { status?: string }): Promise<string> {
  // Farther than requests may ask for by number.
  const page = ((filter.status === undefined ? count : count / 50) - 100) / 20 - 1;
  const { next } = await order.lists.page(
    alice,
    { ...orderQuery.parse({ size: '20', sort, ...filter }), page },
    new Date(),
  );
  return next ?? '';
}

const directions = ['asc', 'desc'];
const sorts = [
  ...['createdAt', 'total', 'id', 'status'].flatMap((field) => directions.map((one) => [`${field},${one}`])),
  ...['createdAt', 'total', 'id'].flatMap((field) =>
    directions.flatMap((one) => directions.map((other) => [`status,${one}`, `${field},${other}`])),
  ),
  ['total,desc', 'id,desc'],
  ['status,asc', 'createdAt,desc', 'id,desc'],
];
const filters = [{}, { status: 'CONFIRMED' }];
const cases = sorts.flatMap((sort) => filters.map((filter) => [sort.join(' '), filter, sort] as const));

describe('a page of orders', () => {
  it.each(cases)('that is the first, sorted by %s, with %j, reads only its own rows', async (_name, filter, sort) => {
    expectPage(await planOf({ sort, ...filter }));
  });

  it.each(cases)('that is the last, sorted by %s, with %j, costs as much as the first', async (_name, filter, sort) => {
    const last = await planOf({ sort, ...filter, after: await deepCursor(sort, filter) });
    expectPage(last);
    const column = columnOf[sort.find((one) => !one.startsWith('status'))?.split(',')[0] ?? ''] ?? 'id';
    for (const { 'Index Cond': condition } of nodesOf(last).filter((node) => node['Index Cond'] !== undefined)) {
      if (!sort[0]?.startsWith('status')) expect(condition).toContain(column);
    }
  });

  it.each([{}, { status: 'CANCELLED' }])(
    'has a total of 20,000 that is not counted one by one, with %j',
    async (query) => {
      while (await addUpOrderCounts(order.kysely));
      await order.prisma.$executeRaw`vacuum (analyze) order_counts, order_count_changes`;
      expect(blocks(await planOf(query, 'InitPlan'))).toBeLessThanOrEqual(10);
    },
  );

  it('has a total of what is PENDING, counted without reading its rows', async () => {
    const scan = nodesOf(await planOf({ status: 'PENDING' }, 'InitPlan', bob)).at(-1);
    expect([scan?.['Node Type'], scan?.['Heap Fetches']]).toEqual(['Index Only Scan', 0]);
  });
});
