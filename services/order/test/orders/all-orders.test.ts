import { randomUUID } from 'node:crypto';
import request from 'supertest';
import { nextLink } from '../../../../tests/kit/http.ts';
import { useDatabase } from '../../../../tests/kit/postgres/database.ts';
import { blocksOf, explain, nodesOf } from '../../../../tests/kit/postgres/plan.ts';
import { recordedStatement } from '../../../../tests/kit/postgres/recorded-statement.ts';
import { createAllOrdersRepository } from '../../src/lists/all-orders-repository.ts';
import { allOrdersQuery } from '../../src/schemas.ts';
import { alice, as, bob, testApp } from '../_app.ts';

const database = useDatabase('order');
const order = database.open(testApp);

const get = (query: string) => request(order.app).get(`/internal/orders?${query}`);
const idsOf = ({ body }: { body: { id: string }[] }) => body.map(({ id }) => id);
const list = async (query: string) => idsOf(await get(query).expect(200));

describe('the orders of all customers', () => {
  const day = (n: number) => new Date(Date.UTC(2026, 0, n));
  const at = (n: number) => day(n).toISOString();
  /** Placed on the first seven days of January. */
  const rows = [
    { accountId: alice, status: 'PENDING', totalAmount: '9.99', currency: 'USD' },
    { accountId: bob, status: 'PENDING', totalAmount: '10', currency: 'USD' },
    { accountId: alice, status: 'CONFIRMED', totalAmount: '10.0001', currency: 'EUR' },
    { accountId: bob, status: 'CONFIRMED', totalAmount: '50', currency: 'USD' },
    { accountId: alice, status: 'CANCELLED', totalAmount: '100', currency: 'USD' },
    { accountId: bob, status: 'CANCELLED', totalAmount: '1000', currency: 'EUR' },
    { accountId: alice, status: 'CONFIRMED', totalAmount: '10', currency: 'USD', deletedAt: day(9) },
  ].map((row, index) => ({ ...row, id: randomUUID(), createdAt: day(index + 1), updatedAt: day(index + 1) }));

  beforeAll(async () => {
    await order.empty();
    await order.prisma.order.createMany({ data: rows });
  });

  it.each([
    ['', [7, 6, 5, 4, 3, 2, 1]],
    ['status=CONFIRMED', [7, 4, 3]],
    [`accountId=${alice}`, [7, 5, 3, 1]],
    [`accountId=${alice}&status=CONFIRMED`, [7, 3]],
    [`accountId=${randomUUID()}`, []],
    [`createdFrom=${at(3)}&createdTo=${at(5)}`, [4, 3]],
    [`createdFrom=${at(5)}&createdTo=${at(3)}`, []],
    ['minTotal=10&maxTotal=10.0000', [7, 2]],
    ['maxTotal=9.9999', [1]],
    ['minTotal=100', [6, 5]],
    ['minTotal=10&currency=EUR', [6, 3]],
    [`accountId=${bob}&status=PENDING&minTotal=10&currency=USD&createdFrom=${at(2)}`, [2]],
  ])('are found by %j, newest first, including deleted orders, at once and page by page', async (query, days) => {
    const expected = days.map((n) => rows[n - 1]?.id);
    expect(await list(query)).toEqual(expected);
    const paged: string[] = [];
    let next: string | undefined = `/internal/orders?size=2&${query}`;
    for (; next !== undefined && paged.length <= rows.length; ) {
      const page: Awaited<ReturnType<typeof get>> = await request(order.app).get(next).expect(200);
      paged.push(...idsOf(page));
      next = nextLink(page.headers.link);
    }
    expect(paged).toEqual(expected);
  });

  it('are found by the first digits of an id, as the shop shows it, in either case, and by the whole id', async () => {
    const [own] = rows;
    const [digits = ''] = own?.id.split('-') ?? [];
    for (const prefix of [digits, digits.toUpperCase(), own?.id.slice(0, 13), own?.id])
      expect(await list(`idPrefix=${prefix}`)).toEqual([own?.id]);
    expect(await list(`idPrefix=${digits}&status=CONFIRMED`)).toEqual([]);
  });

  it.each([
    'status=SOLD',
    'accountId=alice',
    'createdFrom=yesterday',
    'minTotal=1e3',
    'minTotal=-1',
    'maxTotal=1.00001',
    'currency=usd',
    'idPrefix=48b',
    'idPrefix=48b50eeg',
    `idPrefix=${'a'.repeat(33)}`,
    'size=0',
    'size=101',
    'after=forged',
  ])('are not listed by %s', async (query) => {
    await get(query).expect(400);
  });

  it('are recorded as a look in the audit trail once an hour, for an account or for all', async () => {
    await get(`accountId=${bob}`).set('operator-name', 'ann').expect(200);
    await get('status=PENDING').set('operator-name', 'ann').expect(200);
    await get('currency=USD').set('operator-name', 'ann').expect(200);
    await request(order.app).get('/internal/stuck-orders').set('operator-name', 'ben').expect(200);
    const looks = await order.prisma.audit.findMany({
      where: { kind: 'look', actor: { in: ['operator ann', 'operator ben'] } },
      orderBy: { id: 'asc' },
    });
    const everybody = '00000000-0000-0000-0000-000000000000';
    expect(looks).toMatchObject([
      { actor: 'operator ann', subject: bob, after: { at: 'orders' } },
      { actor: 'operator ann', subject: everybody, after: { at: 'orders' } },
      { actor: 'operator ben', subject: everybody, after: { at: 'orders' } },
    ]);
  });
});

describe('a page of the orders of all customers', () => {
  const count = 20_000;

  beforeAll(async () => {
    await order.empty();
    await order.prisma.$executeRaw`
      insert into orders (id, account_id, status, total_amount, currency, created_at, updated_at, deleted_at)
      select gen_random_uuid(), case when n % 2 = 0 then ${alice}::uuid else gen_random_uuid() end,
             (array['PENDING', 'CONFIRMED', 'CONFIRMED', 'CANCELLED'])[1 + n % 4], n, 'USD',
             timestamptz '2026-01-01' + n / 10 * interval '1 s', now(), case when n % 50 = 0 then now() end
      from generate_series(1, ${count}::int) as n`;
    await order.prisma.$executeRaw`vacuum (analyze) orders`;
  });

  async function planOf(query: object) {
    const statement = await recordedStatement((own) =>
      createAllOrdersRepository(own).page(allOrdersQuery.parse({ size: '20', ...query })),
    );
    const nodes = await explain(order.database, statement);
    const page = nodes.find((node) => node['Subplan Name']?.startsWith('CTE page'));
    if (page === undefined) throw new Error(`no page in ${JSON.stringify(nodes[0])}`);
    return page;
  }
  /** A cursor after all but a few hundred orders. */
  async function deepCursor(query: object): Promise<string> {
    const createdTo = '2026-01-01T00:01:00Z';
    const { headers } = await get(new URLSearchParams({ ...query, createdTo, size: '20' }).toString()).expect(200);
    return new URL(nextLink(headers.link) ?? '', 'http://localhost').searchParams.get('after') ?? '';
  }

  it.each([
    {},
    { status: 'CONFIRMED' },
    { accountId: alice },
    { accountId: alice, status: 'CONFIRMED' },
    { createdTo: '2026-01-01T00:20:00Z' },
    { minTotal: '100' },
  ])('reads only the beginnings of its ranges, both the first and the last page: %j', async (query) => {
    for (const after of [undefined, await deepCursor(query)]) {
      const plan = await planOf({ ...query, after });
      expect(plan['Actual Rows']).toBe(21);
      const scans = nodesOf(plan).filter((node) => node['Index Name'] !== undefined);
      expect(scans.length).toBeGreaterThan(0);
      for (const scan of scans) {
        expect(scan['Actual Rows']).toBeLessThanOrEqual(30);
        expect(scan['Rows Removed by Filter'] ?? 0).toBeLessThanOrEqual(100);
      }
      // Some blocks of an index for each of four ranges, and the blocks of the rows. All orders take about 500 blocks.
      expect(blocksOf(plan)).toBeLessThanOrEqual(120);
    }
  });

  it.each([
    [{ minTotal: '777', maxTotal: '778' }, 'orders_status_total_amount_idx', 2],
    [{ minTotal: '30000' }, 'orders_status_total_amount_idx', 0],
    [{ idPrefix: 'a'.repeat(8) }, 'orders_pkey', 0],
  ])('reads few rows if few match: %j', async (query, index, rows) => {
    const plan = await planOf(query);
    expect(plan['Actual Rows']).toBe(rows);
    const scans = nodesOf(plan).filter((node) => node['Index Name'] !== undefined);
    expect(new Set(scans.map((scan) => scan['Index Name']))).toEqual(new Set([index]));
    expect(blocksOf(plan)).toBeLessThanOrEqual(20);
  });
});

it('lists an order for operators even after its owner deletes it', async () => {
  const customer = as(randomUUID(), order);
  const id = await customer.placed();
  await customer.remove(id).expect(204);
  expect(await list(`idPrefix=${id}`)).toEqual([id]);
});
