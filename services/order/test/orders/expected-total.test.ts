import { useDatabase } from '../../../../tests/kit/postgres/database.ts';
import { alice, as, fakeProducts, gold, nothing, rowCounts, salt, tea, testApp, unknown } from '../_app.ts';

const products = fakeProducts();
const order = useDatabase('order').open((url) => testApp(url, { products }));
const customer = as(alice, order);

beforeEach(async () => {
  Object.assign(products.prices, { [tea]: '0.5', [salt]: '0.125' });
  await order.empty();
});

const items = [{ productId: tea, quantity: 10 }];
const tenTeas = JSON.stringify(items);
const usd = (amount: number) => ({ amount, currency: 'USD' });

/** @param expectedTotal an object, or JSON if its spelling matters */
function place(expectedTotal: string | object, items = tenTeas, headers: object = {}) {
  const json = typeof expectedTotal === 'string' ? expectedTotal : JSON.stringify(expectedTotal);
  return customer.place(`{"items":${items},"expectedTotal":${json}}`, headers);
}

describe('POST /orders with an expected total', () => {
  it.each<[string, string | object, number]>([
    ['the total', '{"amount":5,"currency":"USD"}', 201],
    ['the total in another spelling', '{"amount":0.500e1,"currency":"USD"}', 201],
    ['null', 'null', 201],
    ['less', usd(4.99), 409],
    ['more by less than a cent', usd(5.0001), 409],
    ['of another currency', { amount: 5, currency: 'EUR' }, 409],
    ['a number', '5', 400],
    ['an amount as text', { amount: '5', currency: 'USD' }, 400],
    ['no currency', { amount: 5 }, 400],
    ['an amount with five decimals', usd(5.00001), 400],
  ])('of %s: %j is %i', async (_, expected, status) => {
    const response = await place(expected);
    expect(response.status).toBe(status);
    if (status === 400) expect(response.body.errors[0].path).toMatch(/^body\.expectedTotal/);
  });

  it('compares every digit, including digits that a double loses, after rounding half to even', async () => {
    const most = JSON.stringify([{ productId: gold, quantity: 10_000 }]);
    const placeMost = async (amount: string) => (await place(`{"amount":${amount},"currency":"USD"}`, most)).status;
    expect(await placeMost('9999999999999998')).toBe(409);
    expect(await placeMost('9999999999999999.01')).toBe(409);
    expect(await placeMost('9999999999999999')).toBe(201);
    const threeSalt = JSON.stringify([{ productId: salt, quantity: 3 }]);
    expect((await place(usd(0.375), threeSalt)).body.total).toEqual(usd(0.38));
    expect((await place(usd(0.38), threeSalt)).status).toBe(201);
  });

  it('answers 409 price-changed with the current total and prices, and stores nothing', async () => {
    products.prices[tea] = '5';
    const two = JSON.stringify([...items, { productId: salt, quantity: 2 }]);
    const { status, body, headers } = await place(usd(5.25), two, { 'Idempotency-Key': 'a' });
    expect(status).toBe(409);
    expect(headers).not.toHaveProperty('retry-after');
    expect(body).toMatchObject({
      type: 'urn:problem:store:price-changed',
      detail: 'The total is 50.25 USD, not 5.25 USD.',
      total: usd(50.25),
      items: [
        { productId: tea, quantity: 10, unitPrice: usd(5) },
        { productId: salt, quantity: 2, unitPrice: usd(0.125) },
      ],
    });
    expect(await rowCounts(order.prisma)).toEqual(nothing);
    expect((await place(body.total, two, { 'Idempotency-Key': 'a' })).status).toBe(201);
  });

  it('returns the stored reply if it is repeated with its Idempotency-Key, even if the price changed or the product was deleted', async () => {
    const key = { 'Idempotency-Key': 'a' };
    const placed = await place(usd(5), tenTeas, key);
    const expectReplayed = async () => {
      const { text, headers } = await place(usd(5), tenTeas, key);
      expect([text, headers['idempotency-replayed']]).toEqual([placed.text, 'true']);
    };
    products.prices[tea] = '5';
    await expectReplayed();
    delete products.prices[tea];
    await expectReplayed();
    expect((await place(usd(50), tenTeas, key)).body.type).toBe('urn:problem:store:idempotency-key-reused');
  });

  it('reports an unknown product before a changed price', async () => {
    const response = await place(usd(5), JSON.stringify([{ productId: unknown, quantity: 1 }]));
    expect([response.status, response.body.type]).toEqual([400, 'urn:problem:store:unknown-product']);
  });
});
