import { encodeCursor } from '@store/shared/page';
import { createTestDatabase, type TestDatabase } from '../../../tests/kit/database.ts';
import { pageStatement } from '../src/page-statement.ts';
import { orderQuery } from '../src/schemas.ts';
import { alice, testApp } from './_app.ts';

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
  await order.prisma.$executeRaw`analyze orders`;
});

afterAll(async () => {
  await order.close();
  await database.drop();
});

interface Plan {
  'Index Name'?: string;
  'Index Cond'?: string;
  'Shared Hit Blocks': number;
  'Shared Read Blocks': number;
  Plans?: Plan[];
}

async function planOf(query: object): Promise<Plan> {
  const { sql, values } = pageStatement(alice, orderQuery.parse({ size: '20', ...query }));
  const [row] = await order.prisma.$queryRawUnsafe<{ 'QUERY PLAN': [{ Plan: Plan }] }[]>(
    `explain (analyze, buffers, format json) ${sql}`,
    ...values,
  );
  if (row === undefined) throw new Error('no plan');
  return row['QUERY PLAN'][0].Plan;
}

const blocks = (plan: Plan) => plan['Shared Hit Blocks'] + plan['Shared Read Blocks'];
const scansOf = (plan: Plan): Plan[] => [
  ...(plan['Index Name'] === undefined ? [] : [plan]),
  ...(plan.Plans ?? []).flatMap(scansOf),
];

/** The cursor behind nearly all orders. */
async function deepCursor(sort: string): Promise<string> {
  const offset = (count - 100) / 20;
  const { sql, values, order: of } = pageStatement(alice, orderQuery.parse({ size: '20', sort, page: String(offset) }));
  const rows = await order.prisma.$queryRawUnsafe<{ values: string[] }[]>(sql, ...values);
  return encodeCursor({ order: of, values: rows[0]?.values ?? [] });
}

// Neighbours in the index lie on different pages of the table, hence the allowance. Of 20,000 orders 200 pages of an index must be read to step over them all, and thousands of the table.
it.each(['createdAt,desc', 'createdAt,asc', 'total,desc', 'total,asc', 'status,asc', 'status,desc'])(
  'the last page by %s starts in the index at its cursor and costs what the first does',
  async (sort) => {
    const first = await planOf({ sort });
    const last = await planOf({ sort, after: await deepCursor(sort) });
    const [scan] = scansOf(last);
    const column = { createdAt: 'created_at', total: 'total_amount', status: 'status' }[sort.split(',')[0] ?? ''];
    expect(scan?.['Index Name']).toBe(`orders_account_id_${column}_id_idx`);
    expect(scan?.['Index Cond']).toContain(`ROW(${column}, id)`);
    expect(blocks(last)).toBeLessThan(blocks(first) + 100);
  },
);

it('a last page of mixed directions starts at its first column', async () => {
  const sort = ['createdAt,desc', 'total,asc'];
  const last = await planOf({
    sort,
    after: encodeCursor({
      order: 'createdAt,desc;total,asc;id,desc',
      values: ['2026-01-01T00:00:10.000Z', '0', '00000000-0000-4000-8000-000000000000'],
    }),
  });
  expect(scansOf(last)[0]?.['Index Cond']).toContain('created_at <=');
  expect(blocks(last)).toBeLessThan(400);
});
