import { unavailable } from '@store/shared/values/errors';
import request from 'supertest';
import { createTestDatabase, type TestDatabase } from '../../../../tests/kit/database.ts';
import { alice, bob, dust, fakeProducts, gold, rowCounts, salt, tea, testApp, unknown } from '../_app.ts';

const now = new Date('2026-03-04T05:06:07.089Z');
const products = fakeProducts();
let database: TestDatabase;
let order: ReturnType<typeof testApp>;

beforeAll(async () => {
  database = await createTestDatabase('order');
  order = testApp(database.url, { products, clock: () => now });
});

afterAll(async () => {
  await order.close();
  await database.drop();
});

beforeEach(() => {
  products.asked = [];
  products.answer = async () => undefined;
});

const place = (items: unknown, more: object = {}, app = order.app) =>
  request(app)
    .post('/orders')
    .set('id-account', alice)
    .send({ items, ...more });

/** Whatever is refused leaves nothing behind, in no table. */
async function refused(sent: () => PromiseLike<request.Response>) {
  const before = await rowCounts(order.prisma);
  const response = await sent();
  expect(await rowCounts(order.prisma)).toEqual(before);
  expect(response.headers['content-type']).toContain('application/problem+json');
  return response;
}

it('answers 201 with the order, and GET shows the very same', async () => {
  const response = await place([
    { productId: tea, quantity: 3 },
    { productId: salt, quantity: 1 },
  ]);
  expect(response.status).toBe(201);
  const { id } = response.body;
  expect(response.headers.location).toBe(`/orders/${id}`);
  expect(response.headers).not.toHaveProperty('idempotency-replayed');
  expect(response.body).toEqual({
    id: expect.stringMatching(/^[0-9a-f-]{36}$/),
    customerId: alice,
    status: 'PENDING',
    total: { amount: 13.5, currency: 'USD' },
    items: [
      { productId: tea, quantity: 3, unitPrice: { amount: 4.5, currency: 'USD' } },
      { productId: salt, quantity: 1, unitPrice: { amount: 0.005, currency: 'USD' } },
    ],
    createdAt: now.toISOString(),
    updatedAt: now.toISOString(),
  });
  const fetched = await request(order.app).get(`/orders/${id}`).set('id-account', alice);
  expect(fetched.text).toBe(response.text);
  expect(products.asked).toEqual([[tea, salt]]);
});

it('stores order, items and one event, and a reply only for an Idempotency-Key', async () => {
  const before = await rowCounts(order.prisma);
  await place([
    { productId: tea, quantity: 1 },
    { productId: salt, quantity: 1 },
  ]).expect(201);
  expect(await rowCounts(order.prisma)).toEqual({
    orders: before.orders + 1,
    items: before.items + 2,
    keys: before.keys,
    events: before.events + 1,
  });
});

it('merges equal products, also of another spelling', async () => {
  const response = await place([
    { productId: tea, quantity: 9_000 },
    { productId: salt, quantity: 1 },
    { productId: tea.toUpperCase(), quantity: 1_000 },
  ]);
  expect(response.body.items.map((item: object) => ({ ...item, unitPrice: 0 }))).toEqual([
    { productId: tea, quantity: 10_000, unitPrice: 0 },
    { productId: salt, quantity: 1, unitPrice: 0 },
  ]);
  expect(products.asked).toEqual([[tea, salt]]);
});

it('refuses quantities that sum above 10000', async () => {
  const response = await refused(() =>
    place([
      { productId: tea, quantity: 9_000 },
      { productId: tea, quantity: 1_001 },
    ]),
  );
  expect(response.status).toBe(400);
  expect(response.body.detail).toContain('10001');
  expect(products.asked).toEqual([]);
});

it.each([
  ['no items', []],
  ['101 items', Array.from({ length: 101 }, () => ({ productId: tea, quantity: 1 }))],
  ['quantity 0', [{ productId: tea, quantity: 0 }]],
  ['quantity 10001', [{ productId: tea, quantity: 10_001 }]],
  ['a broken quantity', [{ productId: tea, quantity: 1.5 }]],
  ['a quantity as text', [{ productId: tea, quantity: '1' }]],
  ['a product that is no UUID', [{ productId: 'tea', quantity: 1 }]],
  ['no product', [{ quantity: 1 }]],
  ['items that are no list', { productId: tea, quantity: 1 }],
])('answers 400 to %s', async (_name, items) => {
  const response = await refused(() => place(items));
  expect(response.status).toBe(400);
  expect(response.body.errors.length).toBeGreaterThan(0);
});

it('takes 100 items and ignores fields that it does not know', async () => {
  const items = Array.from({ length: 100 }, () => ({ productId: tea, quantity: 1, price: 0.01 }));
  const response = await place(items, { status: 'CONFIRMED', id: unknown, total: { amount: 0 } });
  expect(response.status).toBe(201);
  expect(response.body).toMatchObject({ status: 'PENDING', total: { amount: 450 } });
  expect(response.body.id).not.toBe(unknown);
});

it('names the products that there are not', async () => {
  const response = await refused(() =>
    place([
      { productId: tea, quantity: 1 },
      { productId: unknown, quantity: 1 },
    ]),
  );
  expect(response.status).toBe(400);
  expect(response.body.type).toBe('urn:problem:store:unknown-product');
  expect(response.body.errors).toEqual([{ path: 'body.items', message: `there is no product ${unknown}` }]);
});

it('takes the caller as customerId in any spelling, and refuses another with 403', async () => {
  const items = [{ productId: tea, quantity: 1 }];
  await place(items, { customerId: alice.toUpperCase() }).expect(201);
  const response = await refused(() => place(items, { customerId: bob }));
  expect(response.status).toBe(403);
  expect(products.asked).toHaveLength(1);
});

it.each([
  ['half to even, down to 0.00', 'USD', [[salt, 1]], '0'],
  ['half to even, up', 'USD', [[salt, 3]], '0.02'],
  ['a total of 0.00', 'USD', [[dust, 1]], '0'],
  ['yen without a fraction', 'JPY', [[tea, 1]], '4'],
  [
    'more digits than a double holds',
    'USD',
    [
      [gold, 9_999],
      [tea, 1],
    ],
    '9999000000000003.5',
  ],
] as [string, string, [string, number][], string][])('totals exactly: %s', async (_name, currency, lines, amount) => {
  const shop = testApp(database.url, { currency });
  const items = lines.map(([productId, quantity]) => ({ productId, quantity }));
  const response = await place(items, {}, shop.app);
  const expected = amount.replace(/\.?0+$/, '') || '0';
  expect(response.text).toContain(`"total":{"amount":${expected},"currency":"${currency}"}`);
  const fetched = await request(shop.app)
    .get(response.headers.location ?? '')
    .set('id-account', alice);
  expect(fetched.text).toBe(response.text);
  await shop.close();
});

it('keeps the price of the day when the catalogue or the currency changes later', async () => {
  const { headers } = await place([{ productId: tea, quantity: 1 }]);
  const later = testApp(database.url, { currency: 'JPY' });
  const response = await request(later.app)
    .get(headers.location ?? '')
    .set('id-account', alice);
  expect(response.body.total).toEqual({ amount: 4.5, currency: 'USD' });
  await later.close();
});

it('answers 503 with Retry-After and stores nothing while the product service is away', async () => {
  products.answer = async () => {
    throw unavailable('The product service');
  };
  const response = await refused(() => place([{ productId: tea, quantity: 1 }]).set('Idempotency-Key', 'away'));
  expect(response.status).toBe(503);
  expect(response.headers['retry-after']).toBe('1');
  products.answer = async () => undefined;
  await place([{ productId: tea, quantity: 1 }])
    .set('Idempotency-Key', 'away')
    .expect(201);
});

it('shows when an order was paid and shipped, and its status as it was', async () => {
  const { body } = await place([{ productId: tea, quantity: 1 }]);
  const [paidAt, shippedAt] = [new Date('2026-03-05T00:00:00Z'), new Date('2026-03-06T00:00:00Z')];
  await order.prisma.order.update({ where: { id: body.id }, data: { status: 'CONFIRMED', paidAt, shippedAt } });
  const response = await request(order.app).get(`/orders/${body.id}`).set('id-account', alice);
  expect(response.body).toEqual({
    ...body,
    status: 'CONFIRMED',
    paidAt: paidAt.toISOString(),
    shippedAt: shippedAt.toISOString(),
  });
});

it("answers 404 for another's order on every path, and changes nothing", async () => {
  const { headers } = await place([{ productId: tea, quantity: 1 }]);
  const path = headers.location ?? '';
  const before = await rowCounts(order.prisma);
  const asBob = (method: 'get' | 'post' | 'patch' | 'delete', suffix = '') =>
    request(order.app)
      [method](path + suffix)
      .set('id-account', bob);
  const answers = await Promise.all([
    asBob('get'),
    asBob('patch').send({ status: 'CANCELLED' }),
    asBob('patch').send({ status: 'CONFIRMED' }),
    asBob('delete'),
    asBob('post', '/cancellation'),
    asBob('get', '/cancellation'),
  ]);
  expect(answers.map(({ status }) => status)).toEqual([404, 404, 404, 404, 404, 404]);
  expect(await rowCounts(order.prisma)).toEqual(before);
  const response = await request(order.app).get(path).set('id-account', alice);
  expect(response.body.status).toBe('PENDING');
});
