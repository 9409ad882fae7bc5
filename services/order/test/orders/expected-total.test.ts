import { Decimal } from '@store/shared/values/money';
import request from 'supertest';
import { useDatabase } from '../../../../tests/kit/postgres/database.ts';
import { alice, gold, rowCounts, salt, tea, testApp, unknown } from '../_app.ts';

const first: Record<string, string> = { [tea]: '0.5', [salt]: '0.125', [gold]: '999999999999.9999' };
let prices = first;
const products = {
  prices: async (ids: string[]) =>
    new Map(ids.flatMap((id) => (prices[id] ? [[id, new Decimal(prices[id])] as const] : []))),
};
const order = useDatabase('order').open((url) => testApp(url, { products }));

beforeEach(async () => {
  prices = first;
  await order.prisma.$executeRaw`truncate orders, order_items, idempotency_keys, outbox`;
});

const tenTeas = [{ productId: tea, quantity: 10 }];
const usd = (amount: number) => ({ amount, currency: 'USD' });

/** @param expectedTotal as JSON */
const place = (expectedTotal: string, items: object[] = tenTeas, key?: string) =>
  request(order.app)
    .post('/orders')
    .set({ 'id-account': alice, ...(key && { 'Idempotency-Key': key }) })
    .type('json')
    .send(`{"items":${JSON.stringify(items)},"expectedTotal":${expectedTotal}}`)
    .then((response) => response);

test('POST /orders places an order whose total is the expected one, however it is spelled', async () => {
  for (const amount of ['5', '5.00', '5e0', '0.5e1']) {
    const response = await place(`{"amount":${amount},"currency":"USD"}`);
    expect([response.status, response.body.total]).toEqual([201, usd(5)]);
  }
  expect((await place('null')).status).toBe(201);
});

test('POST /orders answers 409 price-changed with the total and the prices as they are, and stores nothing', async () => {
  prices = { ...first, [tea]: '5' };
  const items = [...tenTeas, { productId: salt, quantity: 2 }];
  const response = await place('{"amount":5.25,"currency":"USD"}', items);
  expect(response.status).toBe(409);
  expect(response.headers).not.toHaveProperty('retry-after');
  expect(response.body).toMatchObject({
    type: 'urn:problem:store:price-changed',
    detail: 'The total is 50.25 USD, not 5.25 USD.',
    total: usd(50.25),
    items: [
      { productId: tea, quantity: 10, unitPrice: usd(5) },
      { productId: salt, quantity: 2, unitPrice: usd(0.125) },
    ],
  });
  expect(await rowCounts(order.prisma)).toEqual({ orders: 0, items: 0, keys: 0, events: 0 });
  expect((await place(JSON.stringify(response.body.total), items)).status).toBe(201);
});

test.each([
  ['less', '{"amount":4.99,"currency":"USD"}'],
  ['more, by what no price has', '{"amount":5.0001,"currency":"USD"}'],
  ['of another currency', '{"amount":5,"currency":"EUR"}'],
])('POST /orders answers 409 to an expected total that is %s', async (_name, expected) => {
  expect((await place(expected)).status).toBe(409);
});

test.each([
  [1, 0.12],
  [3, 0.38],
  [5, 0.62],
  [7, 0.88],
])('POST /orders rounds %i times 0.125 half to even before it compares: %d', async (quantity, amount) => {
  const items = [{ productId: salt, quantity }];
  expect((await place(JSON.stringify(usd(quantity / 8)), items)).body.total).toEqual(usd(amount));
  expect((await place(JSON.stringify(usd(amount)), items)).status).toBe(201);
});

test('POST /orders compares every digit of a total, also those that a double has not', async () => {
  const items = [{ productId: gold, quantity: 10_000 }];
  // As doubles the three are one.
  expect((await place('{"amount":9999999999999998,"currency":"USD"}', items)).status).toBe(409);
  expect((await place('{"amount":9999999999999999.01,"currency":"USD"}', items)).status).toBe(409);
  expect((await place('{"amount":9999999999999999,"currency":"USD"}', items)).status).toBe(201);
});

test.each([
  ['a number', '5'],
  ['an amount as text', '{"amount":"5","currency":"USD"}'],
  ['no currency', '{"amount":5}'],
  ['a currency that is none', '{"amount":5,"currency":"dollars"}'],
  ['an amount with five decimals', '{"amount":5.00001,"currency":"USD"}'],
])('POST /orders returns 400 for an expected total that is %s', async (_name, expected) => {
  const response = await place(expected);
  expect(response.status).toBe(400);
  expect(response.body.errors[0].path).toMatch(/^body\.expectedTotal/);
});

test('409 price-changed leaves the Idempotency-Key unused', async () => {
  prices = { ...first, [tea]: '5' };
  expect((await place(JSON.stringify(usd(5)), tenTeas, 'a')).status).toBe(409);
  const placed = await place(JSON.stringify(usd(50)), tenTeas, 'a');
  expect([placed.status, placed.body.total]).toEqual([201, usd(50)]);
});

test('a request repeated with its Idempotency-Key gets the stored reply, although the price has changed', async () => {
  const placed = await place(JSON.stringify(usd(5)), tenTeas, 'a');
  prices = { ...first, [tea]: '5' };
  const repeated = await place(JSON.stringify(usd(5)), tenTeas, 'a');
  expect([repeated.status, repeated.text]).toEqual([201, placed.text]);
  expect(repeated.headers['idempotency-replayed']).toBe('true');
  const other = await place(JSON.stringify(usd(50)), tenTeas, 'a');
  expect(other.body.type).toBe('urn:problem:store:idempotency-key-reused');
  expect(await order.prisma.order.count()).toBe(1);
});

test('an unknown product is told before a changed price', async () => {
  const response = await place(JSON.stringify(usd(5)), [{ productId: unknown, quantity: 1 }]);
  expect([response.status, response.body.type]).toEqual([400, 'urn:problem:store:unknown-product']);
});

test.each(['1.0e0', '1.00000000000000000000'])('POST /orders still reads a quantity of %s as 1', async (quantity) => {
  const response = await request(order.app)
    .post('/orders')
    .set('id-account', alice)
    .type('json')
    .send(`{"items":[{"productId":"${tea}","quantity":${quantity}}]}`);
  expect(response.body.items[0]?.quantity).toBe(1);
});
