import { unavailable } from '@store/shared/values/errors';
import request from 'supertest';
import { useDatabase } from '../../../../tests/kit/postgres/database.ts';
import { alice, bob, dust, fakeProducts, gold, rowCounts, salt, tea, testApp, unknown } from '../_app.ts';

const now = new Date('2026-03-04T05:06:07.089Z');
const products = fakeProducts();
const database = useDatabase('order');
const order = database.open((url) => testApp(url, { products, clock: () => now }));

beforeEach(() => {
  products.asked = [];
  products.answer = async () => undefined;
});

const place = (items: unknown, more: object = {}, app = order.app) =>
  request(app)
    .post('/orders')
    .set('id-account', alice)
    .send({ items, ...more });

/** Sends a request that must be rejected with a problem and change no table. */
async function rejected(send: () => PromiseLike<request.Response>) {
  const before = await rowCounts(order.prisma);
  const response = await send();
  expect(await rowCounts(order.prisma)).toEqual(before);
  expect(response.headers['content-type']).toContain('application/problem+json');
  return response;
}

test('POST /orders returns 201 with the order, and GET returns the same representation', async () => {
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
    version: 1,
  });
  const fetched = await request(order.app).get(`/orders/${id}`).set('id-account', alice);
  expect(fetched.text).toBe(response.text);
  expect(products.asked).toEqual([[tea, salt]]);
});

test('POST /orders stores order, items and one event, and no reply without an Idempotency-Key', async () => {
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

test('POST /orders merges items of one product, with ids in any letter case', async () => {
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

test('POST /orders returns 400 when merged quantities exceed 10000', async () => {
  const response = await rejected(() =>
    place([
      { productId: tea, quantity: 9_000 },
      { productId: tea, quantity: 1_001 },
    ]),
  );
  expect(response.status).toBe(400);
  expect(response.body.detail).toContain('10001');
  expect(products.asked).toEqual([]);
});

test.each([
  ['no items', []],
  ['101 items', Array.from({ length: 101 }, () => ({ productId: tea, quantity: 1 }))],
  ['quantity 0', [{ productId: tea, quantity: 0 }]],
  ['quantity 10001', [{ productId: tea, quantity: 10_001 }]],
  ['a fractional quantity', [{ productId: tea, quantity: 1.5 }]],
  ['a quantity as a string', [{ productId: tea, quantity: '1' }]],
  ['a product id that is not a UUID', [{ productId: 'tea', quantity: 1 }]],
  ['no product', [{ quantity: 1 }]],
  ['items that are not an array', { productId: tea, quantity: 1 }],
])('POST /orders returns 400 for %s', async (_name, items) => {
  const response = await rejected(() => place(items));
  expect(response.status).toBe(400);
  expect(response.body.errors.length).toBeGreaterThan(0);
});

test('POST /orders accepts 100 items and ignores unknown fields', async () => {
  const items = Array.from({ length: 100 }, () => ({ productId: tea, quantity: 1, price: 0.01 }));
  const response = await place(items, { status: 'CONFIRMED', id: unknown, total: { amount: 0 } });
  expect(response.status).toBe(201);
  expect(response.body).toMatchObject({ status: 'PENDING', total: { amount: 450 } });
  expect(response.body.id).not.toBe(unknown);
});

test('POST /orders returns 400 naming unknown products', async () => {
  const response = await rejected(() =>
    place([
      { productId: tea, quantity: 1 },
      { productId: unknown, quantity: 1 },
    ]),
  );
  expect(response.status).toBe(400);
  expect(response.body.type).toBe('urn:problem:store:unknown-product');
  expect(response.body.errors).toEqual([{ path: 'body.items', message: `there is no product ${unknown}` }]);
});

test("POST /orders accepts the caller's customerId in any letter case and returns 403 for another", async () => {
  const items = [{ productId: tea, quantity: 1 }];
  await place(items, { customerId: alice.toUpperCase() }).expect(201);
  const response = await rejected(() => place(items, { customerId: bob }));
  expect(response.status).toBe(403);
  expect(products.asked).toHaveLength(1);
});

test.each([
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
] as [string, string, [string, number][], string][])(
  'the total of an order is exact: %s',
  async (_name, currency, lines, amount) => {
    const inCurrency = testApp(database.url, { currency });
    const items = lines.map(([productId, quantity]) => ({ productId, quantity }));
    const response = await place(items, {}, inCurrency.app);
    const expected = amount.replace(/\.?0+$/, '') || '0';
    expect(response.text).toContain(`"total":{"amount":${expected},"currency":"${currency}"}`);
    const fetched = await request(inCurrency.app)
      .get(response.headers.location ?? '')
      .set('id-account', alice);
    expect(fetched.text).toBe(response.text);
    await inCurrency.close();
  },
);

test('an order keeps its prices when the currency setting changes', async () => {
  const { headers } = await place([{ productId: tea, quantity: 1 }]);
  const later = testApp(database.url, { currency: 'JPY' });
  const response = await request(later.app)
    .get(headers.location ?? '')
    .set('id-account', alice);
  expect(response.body.total).toEqual({ amount: 4.5, currency: 'USD' });
  await later.close();
});

test('POST /orders returns 503 with Retry-After and stores nothing while the product service is unavailable', async () => {
  products.answer = async () => {
    throw unavailable('The product service');
  };
  const response = await rejected(() => place([{ productId: tea, quantity: 1 }]).set('Idempotency-Key', 'unavailable'));
  expect(response.status).toBe(503);
  expect(response.headers['retry-after']).toBe('1');
  products.answer = async () => undefined;
  await place([{ productId: tea, quantity: 1 }])
    .set('Idempotency-Key', 'unavailable')
    .expect(201);
});

test('GET /orders/{id} returns when an order was paid and shipped', async () => {
  const { body } = await place([{ productId: tea, quantity: 1 }]);
  const [paidAt, shippedAt] = [new Date('2026-03-05T00:00:00Z'), new Date('2026-03-06T00:00:00Z')];
  await order.prisma.order.update({ where: { id: body.id }, data: { status: 'CONFIRMED', paidAt, shippedAt } });
  const response = await request(order.app).get(`/orders/${body.id}`).set('id-account', alice);
  expect(response.body).toEqual({
    ...body,
    status: 'CONFIRMED',
    version: 3,
    paidAt: paidAt.toISOString(),
    shippedAt: shippedAt.toISOString(),
  });
});

test("every route returns 404 for another account's order and changes nothing", async () => {
  const { headers } = await place([{ productId: tea, quantity: 1 }]);
  const path = headers.location ?? '';
  const before = await rowCounts(order.prisma);
  const asBob = (method: 'get' | 'post' | 'patch' | 'delete', suffix = '') =>
    request(order.app)
      [method](path + suffix)
      .set('id-account', bob);
  const responses = await Promise.all([
    asBob('get'),
    asBob('patch').send({ status: 'CANCELLED' }),
    asBob('patch').send({ status: 'CONFIRMED' }),
    asBob('delete'),
    asBob('post', '/cancellation'),
    asBob('get', '/cancellation'),
  ]);
  expect(responses.map(({ status }) => status)).toEqual([404, 404, 404, 404, 404, 404]);
  expect(await rowCounts(order.prisma)).toEqual(before);
  const response = await request(order.app).get(path).set('id-account', alice);
  expect(response.body.status).toBe('PENDING');
});
