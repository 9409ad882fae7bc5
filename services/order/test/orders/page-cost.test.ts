import type { Database } from '@store/shared/database/database';
import { encodeCursor } from '@store/shared/database/keyset';
import { createTestDatabase, type TestDatabase } from '../../../../tests/kit/postgres/database.ts';
import type { DB } from '../../src/generated/tables.ts';
import { createOrderCountRepository } from '../../src/order-count-repository.ts';
import { createOrderListRepository } from '../../src/order-list-repository.ts';
import { orderQuery } from '../../src/schemas.ts';
import { alice, bob, testApp } from '../_app.ts';

const count = 20_000;
let database: TestDatabase;
let order: ReturnType<typeof testApp>;

beforeAll(async () => {
  database = await createTestDatabase('order');
  order = testApp(database.url);
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

afterAll(async () => {
  await order.close();
  await database.drop();
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
  await repository.page(account, orderQuery.parse({ size: '20', ...query }));
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

const columnOf: Record<string, string> = { createdAt: 'created_at', total: 'total_amount', status: 'status' };
const indexOf: Record<string, string> = {
  createdAt: 'orders_shown_created_at_idx',
  total: 'orders_account_id_total_amount_id_idx',
  status: 'orders_shown_status_idx',
};

/**
 * A page reads 20 rows, and one more that tells whether there is a next page: up to 21 blocks of the table, because
 * neighbours in the index may be anywhere in the table, and a few blocks of the index. Skipping all 20,000 orders would
 * read 200 blocks of the index.
 */
const mostBlocks = 21 + 9;

function expectPage(plan: Plan, sort: string): void {
  const nodes = nodesOf(plan);
  const scan = nodes.at(-1);
  expect(nodes.map((node) => node['Node Type'])).not.toContain('Sort');
  expect(scan?.['Index Name']).toBe(indexOf[sort.split(',')[0] ?? '']);
  expect(scan?.['Actual Rows']).toBe(21);
  expect(scan?.['Rows Removed by Filter'] ?? 0).toBe(0);
  expect(blocks(plan)).toBeLessThanOrEqual(mostBlocks);
}

const blocks = (plan: Plan) => plan['Shared Hit Blocks'] + plan['Shared Read Blocks'];

/** A cursor behind all but the last 100 orders. */
async function deepCursor(sort: string): Promise<string> {
  // Farther than requests may ask for by number.
  const page = (count - 100) / 20 - 1;
  const { next } = await order.lists.page(alice, { ...orderQuery.parse({ size: '20', sort }), page });
  return next ?? '';
}

const sorts = ['createdAt,desc', 'createdAt,asc', 'total,desc', 'total,asc', 'status,asc', 'status,desc'];

test.each(sorts)('the first page of orders sorted by %s reads only its own rows', async (sort) => {
  expectPage(await planOf({ sort }), sort);
});

test.each(sorts)(
  'the last page of orders sorted by %s starts at its cursor and costs as much as the first',
  async (sort) => {
    const last = await planOf({ sort, after: await deepCursor(sort) });
    expectPage(last, sort);
    expect(nodesOf(last).at(-1)?.['Index Cond']).toContain(`ROW(${columnOf[sort.split(',')[0] ?? '']}, id)`);
  },
);

test.each([{}, { status: 'CANCELLED' }])(
  'the total of 20,000 orders is not counted one by one, with %j',
  async (query) => {
    await createOrderCountRepository(order as unknown as Database<DB>).addUp();
    await order.prisma.$executeRaw`vacuum (analyze) order_counts, order_count_changes`;
    expect(blocks(await planOf(query, 'InitPlan'))).toBeLessThanOrEqual(10);
  },
);

test('what is PENDING is counted without reading its rows', async () => {
  const scan = nodesOf(await planOf({ status: 'PENDING' }, 'InitPlan', bob)).at(-1);
  expect([scan?.['Node Type'], scan?.['Heap Fetches']]).toEqual(['Index Only Scan', 0]);
});

test('the last page of orders with mixed sort directions starts at the first sort column', async () => {
  const sort = ['createdAt,desc', 'total,asc'];
  const last = await planOf({
    sort,
    after: encodeCursor('orders;createdAt,desc;total,asc;id,desc', [
      ...['2026-01-01T00:00:10.000Z', '0', '00000000-0000-4000-8000-000000000000'],
    ]),
  });
  expect(nodesOf(last).at(-1)?.['Index Cond']).toContain('created_at <=');
  expect(blocks(last)).toBeLessThanOrEqual(mostBlocks);
});
