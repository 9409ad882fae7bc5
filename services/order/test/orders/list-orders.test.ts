import { encodeCursor } from '@store/shared/database/keyset';
import type request from 'supertest';
import { withShortTitles } from '../../../../tests/kit/cases.ts';
import { nextLink } from '../../../../tests/kit/http.ts';
import { useDatabase } from '../../../../tests/kit/postgres/database.ts';
import { alice, as, bob, tea, testApp } from '../_app.ts';

const order = useDatabase('order').open(testApp);

beforeEach(() => order.empty());

/** Inserts orders with many ties: 5 times, 3 statuses, 4 totals. */
const seed = (count: number, accountId = alice) =>
  order.prisma.$executeRaw`
    insert into orders (id, account_id, status, total_amount, currency, created_at, updated_at)
    select gen_random_uuid(), ${accountId}::uuid, (array['PENDING', 'CONFIRMED', 'CANCELLED'])[1 + n % 3],
           (array[0, 9.5, 10, 999999999999.25])[1 + n % 4], 'USD',
           timestamptz '2026-01-01' + (n % 5) * interval '1 ms', now()
    from generate_series(1, ${count}) as n`;

const customer = as(alice, order);
const { list } = customer;

interface ListedOrder {
  id: string;
  createdAt: string;
  status: string;
  total: { amount: number };
}

const next = ({ headers }: request.Response) => nextLink(headers.link);

/** All orders by their `Link` headers; `afterPage` is called after each page. */
async function paginate(query: string, afterPage?: () => Promise<unknown>): Promise<ListedOrder[]> {
  const listed: ListedOrder[] = [];
  for (let path: string | undefined = `/orders${query}`; path !== undefined; ) {
    const response = await customer.call('get', path).expect(200);
    listed.push(...response.body.content);
    path = next(response);
    await afterPage?.();
  }
  return listed;
}

const allIds = async () => (await order.prisma.order.findMany({ select: { id: true } })).map(({ id }) => id).sort();
const idsOf = (listed: ListedOrder[]) => listed.map(({ id }) => id);

describe('GET /orders', () => {
  const emptyPage = { content: [], page: { size: 20, number: 0, totalElements: 0, totalPages: 0 } };

  it('returns an empty page to an account without orders', async () => {
    await seed(3, bob);
    const { body, headers } = await list();
    expect([body, headers.link]).toEqual([emptyPage, undefined]);
  });

  it('returns the newest 20 orders with their items and the total count', async () => {
    const bodies = [];
    for (let count = 0; count < 3; count += 1) {
      const { body } = await customer.place({ items: [{ productId: tea, quantity: count + 1 }] });
      bodies.unshift(body);
    }
    await seed(20);
    const { page, content } = (await list()).body;
    expect(page).toEqual({ size: 20, number: 0, totalElements: 23, totalPages: 2 });
    expect(content).toHaveLength(20);
    expect(content.slice(0, 3)).toEqual(
      bodies.sort((a, b) => (a.createdAt < b.createdAt ? 1 : a.createdAt > b.createdAt ? -1 : a.id < b.id ? 1 : -1)),
    );
  });

  it('pagination of orders by number returns every order and describes each page', async () => {
    await seed(45);
    const ids: string[] = [];
    for (const [number, length] of [20, 20, 5, 0].entries()) {
      const { body, headers } = await list(`?page=${number}`);
      expect(body.page).toEqual({ size: 20, number, totalElements: 45, totalPages: 3 });
      expect(body.content).toHaveLength(length);
      expect('link' in headers).toBe(number < 2);
      ids.push(...idsOf(body.content));
    }
    expect(ids.sort()).toEqual(await allIds());
    // A full last page has no link either.
    expect([next(await list('?size=45')), next(await list('?size=44'))]).toEqual([undefined, expect.anything()]);
  });

  const sorts = [
    [],
    ...['createdAt', 'status', 'total'].flatMap((field) => [[`${field},asc`], [`${field},desc`]]),
    ['total'],
    ['total,asc', 'total,desc'],
    ['createdAt,desc', 'createdAt,asc', 'id,desc'],
    ['id,desc'],
    ['total,asc', 'id,asc'],
    ['status,asc', 'createdAt,desc'],
    ['status,desc', 'total,asc'],
    ['status,desc', 'createdAt,asc', 'id,asc'],
    ['status,asc', 'id,desc'],
  ];
  const queryOf = (sort: string[], size: number) => `?size=${size}${sort.map((one) => `&sort=${one}`).join('')}`;

  function compare(a: ListedOrder, b: ListedOrder, sort: string[]): number {
    for (const one of sort) {
      const [field, direction] = one.split(',') as [keyof ListedOrder, string];
      const shownIn = (one: ListedOrder) => (field === 'total' ? one.total.amount : one[field]);
      const [left, right] = [shownIn(a), shownIn(b)];
      if (left !== right) return (left < right ? -1 : 1) * (direction === 'desc' ? -1 : 1);
    }
    return 0;
  }

  it.each(sorts.map((sort) => [sort.join(' ') || 'default', sort] as const))(
    'pagination sorted by %s returns every order once and in order while others are inserted',
    async (_name, sort) => {
      await seed(61);
      const before = await allIds();
      const listed = await paginate(queryOf(sort, 7), async () => {
        if ((await allIds()).length < 120) await seed(12); // before and behind the cursor
      });
      const ids = idsOf(listed);
      expect(new Set(ids).size).toBe(ids.length);
      expect(ids.filter((id) => before.includes(id)).sort()).toEqual(before);
      const by = sort.length === 0 ? ['createdAt,desc'] : sort;
      for (const [index, one] of listed.entries()) {
        const following = listed[index + 1];
        if (following) expect(compare(one, following, by)).toBeLessThanOrEqual(0);
      }
    },
  );

  it('pagination of orders by cursor and by number return the same orders', async () => {
    await seed(33);
    for (const sort of sorts) {
      const byPage = [];
      for (let page = 0; page < 5; page += 1)
        byPage.push(...(await list(`${queryOf(sort, 7)}&page=${page}`)).body.content);
      expect(idsOf(await paginate(queryOf(sort, 7)))).toEqual(idsOf(byPage));
    }
  });

  it('the status filter of GET /orders applies to orders, counts and following pages', async () => {
    await seed(31);
    const response = await list('?status=CONFIRMED&size=4');
    expect(response.body.page).toMatchObject({ totalElements: 11, totalPages: 3 });
    const listed = await paginate('?status=CONFIRMED&size=4&sort=total,desc');
    expect(new Set(idsOf(listed)).size).toBe(11);
    expect(listed.every(({ status }) => status === 'CONFIRMED')).toBe(true);
  });

  it("GET /orders?customerId= returns all orders for the caller's id and an empty page for another", async () => {
    await seed(3);
    await seed(2, bob);
    expect((await list(`?customerId=${alice.toUpperCase()}`)).body.page.totalElements).toBe(3);
    const foreign = await list(`?customerId=${bob}`);
    expect(foreign.body).toEqual(emptyPage);
    expect((await as(bob, order).list()).body.page.totalElements).toBe(2);
  });

  it('omits deleted orders', async () => {
    await seed(3);
    const [first] = (await list()).body.content;
    await customer.remove(first.id).expect(204);
    const { body } = await list();
    expect(body.page.totalElements).toBe(2);
    expect(idsOf(body.content)).not.toContain(first.id);
  });

  it("with another account's cursor returns only the caller's orders", async () => {
    await seed(10);
    await seed(10, bob);
    const path = next(await list('?size=2')) ?? '';
    const response = await as(bob, order).call('get', path);
    const own = await order.prisma.order.findMany({ where: { accountId: bob } });
    expect(idsOf(response.body.content).every((id) => own.some((one) => one.id === id))).toBe(true);
  });

  const invalidQueries = [
    ...['size=0', 'size=101', 'size=', 'size=1.5', 'size=-1', 'size=1e1', 'size=20&size=20', 'page=-1', 'page=x'],
    ...['page=10001&size=1', 'page=501', 'page=101&size=100'],
    ...[
      'sort=items',
      'sort=createdAt,up',
      'sort=',
      'sort=createdAt,asc,desc',
      'status=SOLD',
      'status=',
      'customerId=x',
    ],
    ...['after=', 'after=x', 'after=%00', `after=${'a'.repeat(2_001)}`, 'sort=id&sort=id&sort=id&sort=id&sort=id'],
  ];
  it.each(withShortTitles(invalidQueries))('returns 400 for ?%s', async (_, query) => {
    const response = await list(`?${query}`);
    expect(response.status).toBe(400);
    expect(response.headers['content-type']).toContain('application/problem+json');
  });

  const unserved = [
    ['createdAt,asc', 'total,desc'],
    ['createdAt,asc', 'id,desc'],
    ['createdAt,asc', 'status,asc'],
    ['total,asc', 'createdAt,desc'],
    ['total,asc', 'status,asc'],
    ['total,asc', 'id,desc'],
    ['id,asc', 'total,asc'],
    ['status,asc', 'total,desc', 'createdAt,asc'],
  ];
  it.each(unserved.map((sort) => [sort.join(' '), sort] as const))(
    'refuses to sort by %s, which no index serves, and says by what it sorts',
    async (_name, sort) => {
      const { status, body } = await list(queryOf(sort, 20));
      expect([status, body.type]).toEqual([400, 'urn:problem:store:validation']);
      expect(body.errors).toEqual([
        { path: 'query.sort', message: expect.stringMatching(/sort by createdAt, total or id, with status before it/) },
      ]);
    },
  );

  it('accepts the largest page number, and names what reads on behind it', async () => {
    await seed(2);
    const { body } = await list('?page=100&size=100');
    expect(body).toMatchObject({ content: [], page: { number: 100, totalElements: 2 } });
    const refused = await list('?page=101&size=100');
    expect([refused.status, refused.body.errors[0]?.message]).toEqual([400, expect.stringContaining('after')]);
  });
});

describe('a cursor of GET /orders', () => {
  const id = '00000000-0000-4000-8000-000000000000';
  const byTime = 'orders;createdAt,desc;id,desc';

  it('is accepted if it is valid, though made by hand', async () => {
    await list(`?after=${encodeCursor(byTime, ['2026-01-01T00:00:00.000Z', id])}`).expect(200);
  });

  it.each<[sort: string, of: string, first: string]>([
    ['createdAt,desc', 'orders;total,desc;id,desc', '1'],
    ['createdAt,desc', byTime, '2026-02-30T00:00:00.000Z'],
    ['createdAt,desc', byTime, "' or true --"],
    ...['total', 'status'].flatMap((of) =>
      ['-1', '1e5', 'NaN', '', 'Infinity', '1'.repeat(30), 'PENDING\0', 'é'].map((first): [string, string, string] => [
        `${of},asc`,
        `orders;${of},asc;id,asc`,
        first,
      ]),
    ),
  ])('of another order, or with a value of another kind, is 400: by %s that of %s with %j', async (sort, of, first) => {
    const response = await list(`?sort=${sort}&after=${encodeCursor(of, [first, id])}`);
    expect([response.status, response.body.errors[0].path]).toEqual([400, 'query.after']);
  });
});
