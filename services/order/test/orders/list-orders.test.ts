import { encodeCursor } from '@store/shared/database/keyset';
import type request from 'supertest';
import { nextLink, paginate } from '../../../../tests/kit/http.ts';
import { useDatabase } from '../../../../tests/kit/postgres/database.ts';
import { orderQuery } from '../../src/schemas.ts';
import { alice, as, bob, tea, testApp } from '../_app.ts';

const order = useDatabase('order').open(testApp);
const customer = as(alice, order);
const { list } = customer;

beforeEach(() => order.empty());

/** Inserts orders with many ties: 5 times, 3 statuses, 4 totals. */
const seed = (count: number, accountId = alice) =>
  order.prisma.$executeRaw`
    insert into orders (id, account_id, status, total_amount, currency, created_at, updated_at)
    select gen_random_uuid(), ${accountId}::uuid, (array['PENDING', 'CONFIRMED', 'CANCELLED'])[1 + n % 3],
           (array[0, 9.5, 10, 999999999999.25])[1 + n % 4], 'USD',
           timestamptz '2026-01-01' + (n % 5) * interval '1 ms', now()
    from generate_series(1, ${count}) as n`;

const next = ({ headers }: request.Response) => nextLink(headers.link);
const idsOf = (listed: { id: string }[]) => listed.map(({ id }) => id);

/** The ids of all orders. Calls `afterPage` after each page. */
async function allIds(query: string, afterPage?: () => Promise<unknown>): Promise<string[]> {
  const pages = await paginate((path) => customer.call('get', path), `/orders${query}`, afterPage);
  return pages.flatMap(({ content }) => idsOf(content));
}

const emptyPage = { content: [], page: { size: 20, number: 0, totalElements: 0, totalPages: 0 } };

describe('GET /orders', () => {
  it('returns the newest 20 orders with their items and the total count', async () => {
    const { body } = await customer.place({ items: [{ productId: tea, quantity: 2 }] });
    await seed(22);
    const { page, content } = (await list()).body;
    expect(page).toEqual({ size: 20, number: 0, totalElements: 23, totalPages: 2 });
    expect(content).toHaveLength(20);
    expect(content[0]).toEqual(body);
  });

  it('returns every order page by page, and describes each page', async () => {
    await seed(45);
    const ids: string[] = [];
    for (const [number, length] of [20, 20, 5, 0].entries()) {
      const { body, headers } = await list(`?page=${number}`);
      expect(body.page).toEqual({ size: 20, number, totalElements: 45, totalPages: 3 });
      expect(body.content).toHaveLength(length);
      expect('link' in headers).toBe(number < 2);
      ids.push(...idsOf(body.content));
    }
    expect(new Set(ids).size).toBe(45);
    const long = (await list('?size=30&page=2')).body;
    expect(long).toEqual({ content: [], page: { size: 30, number: 2, totalElements: 45, totalPages: 2 } });
    expect(idsOf((await list('?size=45')).body.content)).toEqual(ids);
    // Read in texts of ten orders, because V8 frees a text of 100 large orders, 1.6 MB, only in a full collection.
    expect((await order.lists.page(alice, orderQuery.parse({ size: '45' }), new Date())).content).toHaveLength(5);
    // A full last page has no link.
    expect([next(await list('?size=45')), next(await list('?size=44'))]).toEqual([undefined, expect.anything()]);
  });

  const newest = 'created_at desc, id desc';
  const sorts = [
    ['', newest],
    ['createdAt,asc', 'created_at, id'],
    ['createdAt,desc', newest],
    ['status,asc', 'status, id'],
    ['status,desc', 'status desc, id desc'],
    ['total,asc', 'total_amount, id'],
    ['total,desc', 'total_amount desc, id desc'],
    ['total', 'total_amount, id'],
    ['total,asc total,desc', 'total_amount, id'],
    ['createdAt,desc createdAt,asc id,desc', newest],
    ['id,desc', 'id desc'],
    ['total,asc id,asc', 'total_amount, id'],
    ['status,asc createdAt,desc', `status, ${newest}`],
    ['status,desc total,asc', 'status desc, total_amount, id'],
    ['status,desc createdAt,asc id,asc', 'status desc, created_at, id'],
    ['status,asc id,desc', 'status, id desc'],
    ['createdAt,desc total,asc', 'created_at desc, total_amount, id'],
    ['createdAt,asc total,desc status,asc', 'created_at, total_amount desc, status, id'],
    ['createdAt,asc id,desc', 'created_at, id desc'],
    ['createdAt,asc status,asc', 'created_at, status, id'],
    ['status,desc createdAt,asc total,desc', 'status desc, created_at, total_amount desc, id desc'],
    ['id,asc total,asc', 'id'],
    ['status,asc id,desc createdAt,asc', 'status, id desc'],
  ] as const;
  const queryOf = (sort: string) =>
    `?size=7${sort
      .split(' ')
      .filter(Boolean)
      .map((one) => `&sort=${one}`)
      .join('')}`;

  it.each(sorts)('sorted by "%s" is by %s, by cursor and by number', async (sort, sql) => {
    await seed(33);
    const rows = await order.prisma.$queryRawUnsafe<{ id: string }[]>(`select id from orders order by ${sql}`);
    expect(await allIds(queryOf(sort))).toEqual(idsOf(rows));
    const byNumber = [];
    for (let page = 0; page < 5; page += 1)
      byNumber.push(...(await list(`${queryOf(sort)}&page=${page}`)).body.content);
    expect(idsOf(byNumber)).toEqual(idsOf(rows));
  });

  it.each(sorts)('sorted by "%s" returns every order once while others are inserted', async (sort) => {
    await seed(61);
    const before = idsOf(await order.prisma.order.findMany());
    // Inserts before and after the cursor.
    const ids = await allIds(queryOf(sort), async () => (await order.prisma.order.count()) < 120 && seed(12));
    expect(new Set(ids).size).toBe(ids.length);
    expect(ids).toEqual(expect.arrayContaining(before));
  });

  it.each([
    ['asc', ['PENDING']],
    ['desc', ['CONFIRMED', 'CANCELLED']],
  ])('continues after a cursor of a later release with an unknown status: %s', async (direction, statuses) => {
    await seed(3);
    const after = encodeCursor(`orders;status,${direction};id,${direction}`, ['ON_HOLD', alice]);
    const { status, body } = await list(`?sort=status,${direction}&after=${after}`);
    expect([status, body.content?.map((one: { status: string }) => one.status)]).toEqual([200, statuses]);
  });

  it('the status filter of GET /orders applies to orders, counts and following pages', async () => {
    await seed(31);
    const query = '?status=CONFIRMED&size=4';
    expect((await list(query)).body.page).toMatchObject({ totalElements: 11, totalPages: 3 });
    const confirmed = idsOf(await order.prisma.order.findMany({ where: { status: 'CONFIRMED' } }));
    expect((await allIds(`${query}&sort=total,desc`)).sort()).toEqual(confirmed.sort());
  });

  it("GET /orders?customerId= returns all orders for the caller's id and an empty page for another", async () => {
    await seed(3);
    await seed(2, bob);
    expect((await list(`?customerId=${alice.toUpperCase()}`)).body.page.totalElements).toBe(3);
    expect((await list(`?customerId=${bob}`)).body).toEqual(emptyPage);
    const others = as(bob, order);
    expect((await others.list()).body.page.totalElements).toBe(2);
    // A cursor of another account does not lead to that account's orders.
    const { content } = (await others.call('get', next(await list('?size=1')) ?? '')).body;
    const own = idsOf(await order.prisma.order.findMany({ where: { accountId: bob } }));
    expect(own).toEqual(expect.arrayContaining(idsOf(content)));
  });

  // The contract test sends malformed values of every parameter.
  it.each(['size=101', 'sort=items', 'status=SOLD'])('returns 400 for ?%s', async (query) => {
    await list(`?${query}`).expect(400);
  });

  it.each([
    'total,asc createdAt,desc',
    'total,asc status,asc',
    'total,asc id,desc',
    'status,asc total,desc createdAt,asc',
  ])('rejects sorting by %s, which no index serves, and names the supported sorts', async (sort) => {
    const { status, body } = await list(queryOf(sort));
    expect([status, body.errors[0]?.path]).toEqual([400, 'query.sort']);
    expect(body.errors[0]?.message).toMatch(/sort by createdAt, total or id, with status before it/);
  });

  it('accepts the largest page number, and names the cursor for further pages', async () => {
    await seed(2);
    const { body } = await list('?page=100&size=100');
    expect(body).toMatchObject({ content: [], page: { number: 100, totalElements: 2 } });
    const refused = await list('?page=101&size=100');
    expect([refused.status, refused.body.errors[0]?.message]).toEqual([400, expect.stringContaining('after')]);
  });

  const id = '00000000-0000-4000-8000-000000000000';
  const [byTime, byTotal, byStatus] = ['createdAt,desc', 'total,asc', 'status,asc'];
  const row = (by: string, at: string): [number, string, string, string] => [400, by, by, at];
  it.each<[number, string, string, string]>([
    [200, byTime, byTime, '2026-01-01T00:00:00.000Z'],
    [400, byTime, 'total,desc', '1'],
    [400, byTime, byTime, '2026-02-30T00:00:00.000Z'],
    ...['-1', '1e5', 'NaN', '', 'Infinity', '1'.repeat(30)].map((at) => row(byTotal, at)),
    ...['', '1', 'PENDING\0', 'é'].map((at) => row(byStatus, at)),
  ])('is %i by %s with a forged cursor of %s and %j', async (status, sort, of, at) => {
    const cursor = encodeCursor(`orders;${of};id,${of.split(',')[1]}`, [at, id]);
    expect((await list(`?sort=${sort}&after=${cursor}`)).status).toBe(status);
  });
});
