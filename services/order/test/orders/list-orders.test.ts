import request from 'supertest';
import { createTestDatabase, type TestDatabase } from '../../../../tests/kit/database.ts';
import { alice, bob, tea, testApp } from '../_app.ts';

let database: TestDatabase;
let order: ReturnType<typeof testApp>;

beforeAll(async () => {
  database = await createTestDatabase('order');
  order = testApp(database.url);
});

afterAll(async () => {
  await order.close();
  await database.drop();
});

beforeEach(() => order.prisma.$executeRaw`truncate orders, order_items, idempotency_keys, outbox`);

/** Orders with many ties: 5 times, 3 states, 4 totals. */
const seed = (count: number, accountId = alice) =>
  order.prisma.$executeRaw`
    insert into orders (id, account_id, status, total_amount, currency, created_at, updated_at)
    select gen_random_uuid(), ${accountId}::uuid, (array['PENDING', 'CONFIRMED', 'CANCELLED'])[1 + n % 3],
           (array[0, 9.5, 10, 999999999999.25])[1 + n % 4], 'USD',
           timestamptz '2026-01-01' + (n % 5) * interval '1 ms', now()
    from generate_series(1, ${count}) as n`;

const list = (query = '', accountId = alice) => request(order.app).get(`/orders${query}`).set('id-account', accountId);

interface Shown {
  id: string;
  createdAt: string;
  status: string;
  total: { amount: number };
}

const next = (response: request.Response) => /^<([^>]+)>; rel="next"$/.exec(response.headers.link ?? '')?.[1];

/** Follows `Link` to the end; `between` is called after each page. */
async function paginate(query: string, between: () => Promise<unknown> = async () => undefined): Promise<Shown[]> {
  const shown: Shown[] = [];
  for (let path: string | undefined = `/orders${query}`; path !== undefined; ) {
    const response = await request(order.app).get(path).set('id-account', alice);
    expect(response.status).toBe(200);
    shown.push(...response.body.content);
    path = next(response);
    await between();
  }
  return shown;
}

const allIds = async () => (await order.prisma.order.findMany({ select: { id: true } })).map(({ id }) => id).sort();
const idsOf = (shown: Shown[]) => shown.map(({ id }) => id);

it('shows an empty page to an account without orders', async () => {
  await seed(3, bob);
  const response = await list();
  expect(response.body).toEqual({ content: [], page: { size: 20, number: 0, totalElements: 0, totalPages: 0 } });
  expect(response.headers).not.toHaveProperty('link');
});

it('shows the newest 20 with their items, and how many there are', async () => {
  const bodies = [];
  for (let count = 0; count < 3; count += 1) {
    const { body } = await request(order.app)
      .post('/orders')
      .set('id-account', alice)
      .send({ items: [{ productId: tea, quantity: count + 1 }] });
    bodies.unshift(body);
  }
  await seed(20);
  const response = await list();
  expect(response.body.page).toEqual({ size: 20, number: 0, totalElements: 23, totalPages: 2 });
  expect(response.body.content).toHaveLength(20);
  expect(response.body.content.slice(0, 3)).toEqual(
    bodies.sort((a, b) => (a.createdAt < b.createdAt ? 1 : a.createdAt > b.createdAt ? -1 : a.id < b.id ? 1 : -1)),
  );
});

it('walks by page, and says of every page which one it is', async () => {
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
});

it('a full last page has no next one', async () => {
  await seed(10);
  expect(next(await list('?size=10'))).toBeUndefined();
  expect(next(await list('?size=9'))).toBeDefined();
});

const value = {
  createdAt: (o: Shown) => o.createdAt,
  status: (o: Shown) => o.status,
  total: (o: Shown) => o.total.amount,
};

const sorts = [
  [],
  ...['createdAt', 'status', 'total'].flatMap((field) => [[`${field},asc`], [`${field},desc`]]),
  ['total'],
  ['total,asc', 'total,desc'],
  ['createdAt,desc', 'status,desc', 'createdAt,asc'],
  ['status,asc', 'createdAt,desc'],
  ['status,desc', 'total,asc', 'createdAt,desc'],
  ['createdAt,asc', 'total,desc'],
  ['total,desc', 'status,asc', 'createdAt,asc'],
];
const queryOf = (sort: string[], size: number) => `?size=${size}${sort.map((one) => `&sort=${one}`).join('')}`;

function compare(a: Shown, b: Shown, sort: string[]): number {
  for (const one of sort) {
    const [field, direction] = one.split(',') as [keyof typeof value, string];
    const [left, right] = [value[field](a), value[field](b)];
    if (left !== right) return (left < right ? -1 : 1) * (direction === 'desc' ? -1 : 1);
  }
  return 0;
}

it.each(sorts.map((sort) => [sort.join(' ') || 'by default', sort] as const))(
  'walks %s: sorted, every order once, whatever comes in meanwhile',
  async (_name, sort) => {
    await seed(61);
    const before = await allIds();
    const shown = await paginate(queryOf(sort, 7), async () => {
      if (idsOf(await orders()).length < 120) await seed(12); // of all times, states and totals: before and behind the cursor
    });
    const ids = idsOf(shown);
    expect(new Set(ids).size).toBe(ids.length);
    expect(ids.filter((id) => before.includes(id)).sort()).toEqual(before);
    const by = sort.length === 0 ? ['createdAt,desc'] : sort;
    for (const [index, one] of shown.entries()) {
      const following = shown[index + 1];
      if (following) expect(compare(one, following, by)).toBeLessThanOrEqual(0);
    }
  },
);

const orders = () => order.prisma.order.findMany() as unknown as Promise<Shown[]>;

it('a walk by after agrees with the walk by page', async () => {
  await seed(33);
  for (const sort of sorts) {
    const byPage = [];
    for (let page = 0; page < 5; page += 1)
      byPage.push(...(await list(`${queryOf(sort, 7)}&page=${page}`)).body.content);
    expect(idsOf(await paginate(queryOf(sort, 7)))).toEqual(idsOf(byPage));
  }
});

it('filters by status, in the list, in its numbers and along the walk', async () => {
  await seed(31);
  const response = await list('?status=CONFIRMED&size=4');
  expect(response.body.page).toMatchObject({ totalElements: 11, totalPages: 3 });
  const shown = await paginate('?status=CONFIRMED&size=4&sort=total,desc');
  expect(new Set(idsOf(shown)).size).toBe(11);
  expect(shown.every(({ status }) => status === 'CONFIRMED')).toBe(true);
});

it("customerId: the caller's own shows all, another's an empty page", async () => {
  await seed(3);
  await seed(2, bob);
  expect((await list(`?customerId=${alice.toUpperCase()}`)).body.page.totalElements).toBe(3);
  const foreign = await list(`?customerId=${bob}`);
  expect(foreign.body).toEqual({ content: [], page: { size: 20, number: 0, totalElements: 0, totalPages: 0 } });
  expect((await list('', bob)).body.page.totalElements).toBe(2);
});

it('leaves out what its owner has deleted', async () => {
  await seed(3);
  const [first] = (await list()).body.content;
  await request(order.app).delete(`/orders/${first.id}`).set('id-account', alice).expect(204);
  const { body } = await list();
  expect(body.page.totalElements).toBe(2);
  expect(idsOf(body.content)).not.toContain(first.id);
});

it('the cursor of one account shows another nothing but its own', async () => {
  await seed(10);
  await seed(10, bob);
  const path = next(await list('?size=2')) ?? '';
  const response = await request(order.app).get(path).set('id-account', bob);
  const own = await order.prisma.order.findMany({ where: { accountId: bob } });
  expect(idsOf(response.body.content).every((id) => own.some((one) => one.id === id))).toBe(true);
});

it('goes on with size, sort and filter in the link, and without page', async () => {
  await seed(40);
  const link = next(await list('?page=1&size=3&sort=status,asc&sort=total,desc&status=PENDING')) ?? '';
  const query = new URL(link, 'http://localhost').searchParams;
  query.delete('after');
  expect([...query].sort()).toEqual([
    ['size', '3'],
    ['sort', 'status,asc'],
    ['sort', 'total,desc'],
    ['status', 'PENDING'],
  ]);
});

it.each([
  ...['size=0', 'size=101', 'size=', 'size=1.5', 'size=-1', 'size=1e1', 'size=20&size=20', 'page=-1', 'page=x'],
  ...['sort=id', 'sort=createdAt,up', 'sort=', 'sort=createdAt,asc,desc', 'status=SOLD', 'status=', 'customerId=x'],
  ...['after=', 'after=x', 'after=%00', `after=${'a'.repeat(2_001)}`, 'sort=total&sort=total&sort=total&sort=total'],
])('refuses ?%s', async (query) => {
  const response = await list(`?${query}`);
  expect(response.status).toBe(400);
  expect(response.headers['content-type']).toContain('application/problem+json');
});

it('takes the largest page there is and shows nothing on it', async () => {
  await seed(2);
  const response = await list('?page=1000000&size=100');
  expect(response.body).toMatchObject({ content: [], page: { number: 1_000_000, totalElements: 2 } });
});
