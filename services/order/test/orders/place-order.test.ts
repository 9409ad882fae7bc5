import { unavailable } from '@store/shared/values/errors';
import type request from 'supertest';
import { useDatabase } from '../../../../tests/kit/postgres/database.ts';
import { alice, as, bob, dust, fakeProducts, gold, rowCounts, salt, tea, testApp, unknown } from '../_app.ts';

const now = new Date('2026-03-04T05:06:07.089Z');
const products = fakeProducts();
const database = useDatabase('order');
const order = database.open((url) => testApp(url, { products, clock: () => now }));
const customer = as(alice, order);
const yen = database.open((url) => testApp(url, { currency: 'JPY' }));

beforeEach(() => {
  products.asked = [];
  products.answer = async () => undefined;
});

type Lines = [productId: string, quantity: number][];
const linesOf = (lines: Lines) => lines.map(([productId, quantity]) => ({ productId, quantity }));
const place = (lines: Lines, more: object = {}, headers: object = {}) =>
  customer.place({ items: linesOf(lines), ...more }, headers);
const usd = (amount: number) => ({ amount, currency: 'USD' });

/** Sends a request that must be rejected with a problem and change no table. */
async function rejected(send: () => PromiseLike<request.Response>) {
  const before = await rowCounts(order.prisma);
  const response = await send();
  expect(await rowCounts(order.prisma)).toEqual(before);
  expect(response.headers['content-type']).toContain('application/problem+json');
  return response;
}

describe('POST /orders', () => {
  it('returns 201 with the order, and GET returns the same representation', async () => {
    const before = await rowCounts(order.prisma);
    const response = await place([
      [tea, 3],
      [salt, 1],
    ]);
    expect(response.status).toBe(201);
    const { id } = response.body;
    expect(response.headers.location).toBe(`/orders/${id}`);
    expect(response.headers).not.toHaveProperty('idempotency-replayed');
    expect(response.body).toEqual({
      id: expect.stringMatching(/^[0-9a-f-]{36}$/),
      customerId: alice,
      status: 'PENDING',
      total: usd(13.5),
      items: [
        { productId: tea, name: 'Tea', quantity: 3, unitPrice: usd(4.5) },
        { productId: salt, name: 'Tea', quantity: 1, unitPrice: usd(0.005) },
      ],
      createdAt: now.toISOString(),
      updatedAt: now.toISOString(),
      version: 1,
      shippingAddress: null,
      metadata: null,
    });
    expect((await customer.get(id)).text).toBe(response.text);
    expect(products.asked).toEqual([[tea, salt]]);
    // Without an Idempotency-Key no reply is stored.
    const { orders, items, keys, events } = before;
    expect(await rowCounts(order.prisma)).toEqual({ orders: orders + 1, items: items + 2, keys, events: events + 1 });
  });

  it('merges items of one product, with ids in any letter case', async () => {
    const response = await place([
      [tea, 9_000],
      [salt, 1],
      [tea.toUpperCase(), 1_000],
    ]);
    expect(response.body.items).toMatchObject(
      linesOf([
        [tea, 10_000],
        [salt, 1],
      ]),
    );
    expect(products.asked).toEqual([[tea, salt]]);
  });

  it('returns 400 when merged quantities exceed 10000', async () => {
    const response = await rejected(() =>
      place([
        [tea, 9_000],
        [tea, 1_001],
      ]),
    );
    expect([response.status, response.body.detail]).toEqual([400, expect.stringContaining('10001')]);
    expect(products.asked).toEqual([]);
  });

  it.each([
    ['no items', []],
    ['101 items', linesOf(Array(101).fill([tea, 1]))],
    ['quantity 0', linesOf([[tea, 0]])],
    ['quantity 10001', linesOf([[tea, 10_001]])],
    ['a fractional quantity', linesOf([[tea, 1.5]])],
    ['a quantity as a string', [{ productId: tea, quantity: '1' }]],
    ['a product id that is not a UUID', linesOf([['tea', 1]])],
    ['no product', [{ quantity: 1 }]],
    ['items that are not an array', { productId: tea, quantity: 1 }],
  ])('returns 400 for %s', async (_name, items) => {
    const response = await rejected(() => customer.place({ items }));
    expect(response.status).toBe(400);
    expect(response.body.errors.length).toBeGreaterThan(0);
  });

  it('accepts 100 items and ignores unknown fields', async () => {
    const items = Array.from({ length: 100 }, () => ({ productId: tea, quantity: 1, price: 0.01 }));
    const response = await customer.place({ items, status: 'CONFIRMED', id: unknown, total: { amount: 0 } });
    expect(response.status).toBe(201);
    expect(response.body).toMatchObject({ status: 'PENDING', total: usd(450) });
    expect(response.body.id).not.toBe(unknown);
  });

  it('returns 400 naming unknown products', async () => {
    const send = () =>
      place([
        [tea, 1],
        [unknown, 1],
      ]);
    const { status, body } = await rejected(send);
    expect([status, body.type]).toEqual([400, 'urn:problem:store:unknown-product']);
    expect(body.errors).toEqual([{ path: 'body.items', message: `there is no product ${unknown}` }]);
  });

  it("accepts the caller's customerId in any letter case and returns 403 for another", async () => {
    await place([[tea, 1]], { customerId: alice.toUpperCase() }).expect(201);
    expect((await rejected(() => place([[tea, 1]], { customerId: bob }))).status).toBe(403);
    expect(products.asked).toHaveLength(1);
  });

  it.each(['1.0e0', '1.00000000000000000000'])('reads a quantity of %s as 1', async (quantity) => {
    const response = await customer.place(`{"items":[{"productId":"${tea}","quantity":${quantity}}]}`);
    expect(response.body.items[0]?.quantity).toBe(1);
  });

  it('returns 503 with Retry-After and stores nothing while the product service is unavailable', async () => {
    products.answer = async () => {
      throw unavailable('The product service');
    };
    const key = { 'Idempotency-Key': 'unavailable' };
    const response = await rejected(() => place([[tea, 1]], {}, key));
    expect([response.status, response.headers['retry-after']]).toEqual([503, '1']);
    products.answer = async () => undefined;
    await place([[tea, 1]], {}, key).expect(201);
  });
});

describe('the total of an order', () => {
  it.each([
    [
      'of more digits than a double holds',
      order,
      [
        [gold, 9_999],
        [tea, 1],
      ],
      '{"amount":9999000000000003.5,"currency":"USD"}',
    ],
    ['rounded half to even', order, [[salt, 3]], '{"amount":0.02,"currency":"USD"}'],
    ['of 0.00', order, [[dust, 1]], '{"amount":0,"currency":"USD"}'],
    ['of yen without a fraction', yen, [[tea, 1]], '{"amount":4,"currency":"JPY"}'],
  ] as [string, typeof order, Lines, string][])('is exact: %s', async (_name, service, lines, total) => {
    const { place, get } = as(alice, service);
    const { body, text } = await place({ items: linesOf(lines) });
    expect(text).toContain(`"total":${total}`);
    expect((await get(body.id)).text).toBe(text);
  });

  it('stays as it was when the currency setting changes', async () => {
    const { body } = await place([[tea, 1]]);
    expect((await as(alice, yen).get(body.id)).body.total).toEqual(usd(4.5));
  });
});

describe('GET /orders/{id}', () => {
  it('returns when an order was paid and shipped', async () => {
    const { body } = await place([[tea, 1]]);
    const [paidAt, shippedAt] = [new Date('2026-03-05T00:00:00Z'), new Date('2026-03-06T00:00:00Z')];
    await order.prisma.order.update({ where: { id: body.id }, data: { status: 'CONFIRMED', paidAt, shippedAt } });
    expect((await customer.get(body.id)).body).toEqual({
      ...body,
      status: 'CONFIRMED',
      version: 3,
      paidAt: paidAt.toISOString(),
      shippedAt: shippedAt.toISOString(),
    });
  });
});

describe('every route', () => {
  it("returns 404 for another account's order and changes nothing", async () => {
    const id = await customer.placed();
    const before = await rowCounts(order.prisma);
    const { get, change, remove, cancel, cancellation } = as(bob, order);
    const confirm = () => change(id, { status: 'CONFIRMED' });
    for (const call of [get, change, confirm, remove, cancel, cancellation]) expect((await call(id)).status).toBe(404);
    expect(await rowCounts(order.prisma)).toEqual(before);
    expect((await customer.get(id)).body.status).toBe('PENDING');
  });
});
