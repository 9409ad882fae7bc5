import { Decimal } from '@store/shared/values/money';
import { useDatabase } from '../../../../tests/kit/postgres/database.ts';
import { alice, as, gold, nothing, rowCounts, salt, tea, testApp, unknown } from '../_app.ts';

const first: Record<string, string> = { [tea]: '0.5', [salt]: '0.125', [gold]: '999999999999.9999' };
const dearer = { ...first, [tea]: '5' };
let prices = first;
const products = {
  find: async (ids: string[]) =>
    new Map(ids.flatMap((id) => (prices[id] ? [[id, { name: 'Tea', price: new Decimal(prices[id]) }] as const] : []))),
};
const order = useDatabase('order').open((url) => testApp(url, { products }));
const customer = as(alice, order);

beforeEach(async () => {
  prices = first;
  await order.empty();
});

const tenTeas = [{ productId: tea, quantity: 10 }];
const usd = (amount: number) => ({ amount, currency: 'USD' });

/** @param expectedTotal JSON where its spelling matters */
function place(expectedTotal: string | object, items: object[] = tenTeas, key?: string) {
  const json = typeof expectedTotal === 'string' ? expectedTotal : JSON.stringify(expectedTotal);
  const headers = key === undefined ? {} : { 'Idempotency-Key': key };
  return customer.place(`{"items":${JSON.stringify(items)},"expectedTotal":${json}}`, headers);
}

describe('POST /orders with an expected total', () => {
  it.each(['5', '5.00', '5e0', '0.5e1'])('places an order whose total it is, spelled %s', async (amount) => {
    const response = await place(`{"amount":${amount},"currency":"USD"}`);
    expect([response.status, response.body.total]).toEqual([201, usd(5)]);
  });

  it('of null expects nothing', async () => {
    expect((await place('null')).status).toBe(201);
  });

  it('answers 409 price-changed with the total and the prices as they are, and stores nothing', async () => {
    prices = dearer;
    const items = [...tenTeas, { productId: salt, quantity: 2 }];
    const response = await place(usd(5.25), items);
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
    expect(await rowCounts(order.prisma)).toEqual(nothing);
    expect((await place(response.body.total, items)).status).toBe(201);
  });

  it.each([
    ['less', usd(4.99)],
    ['more, by what no price has', usd(5.0001)],
    ['of another currency', { amount: 5, currency: 'EUR' }],
  ])('answers 409 if it is %s', async (_name, expected) => {
    expect((await place(expected)).status).toBe(409);
  });

  it.each([
    [1, 0.12],
    [3, 0.38],
    [5, 0.62],
    [7, 0.88],
  ])('rounds %i times 0.125 half to even before it compares: %d', async (quantity, amount) => {
    const items = [{ productId: salt, quantity }];
    expect((await place(usd(quantity / 8), items)).body.total).toEqual(usd(amount));
    expect((await place(usd(amount), items)).status).toBe(201);
  });

  it.each([
    ['9999999999999998', 409],
    ['9999999999999999.01', 409],
    ['9999999999999999', 201],
  ])('compares every digit, also those that a double has not: %s is %i', async (amount, status) => {
    const items = [{ productId: gold, quantity: 10_000 }];
    expect((await place(`{"amount":${amount},"currency":"USD"}`, items)).status).toBe(status);
  });

  it.each([
    ['a number', '5'],
    ['an amount as text', { amount: '5', currency: 'USD' }],
    ['no currency', { amount: 5 }],
    ['a currency that is none', { amount: 5, currency: 'dollars' }],
    ['an amount with five decimals', usd(5.00001)],
  ])('returns 400 if it is %s', async (_name, expected) => {
    const response = await place(expected);
    expect(response.status).toBe(400);
    expect(response.body.errors[0].path).toMatch(/^body\.expectedTotal/);
  });

  it('leaves the Idempotency-Key unused where it is another one', async () => {
    prices = dearer;
    expect((await place(usd(5), tenTeas, 'a')).status).toBe(409);
    const placed = await place(usd(50), tenTeas, 'a');
    expect([placed.status, placed.body.total]).toEqual([201, usd(50)]);
  });

  it('gets the stored reply when it is repeated with its Idempotency-Key, although the price has changed', async () => {
    const placed = await place(usd(5), tenTeas, 'a');
    prices = dearer;
    const repeated = await place(usd(5), tenTeas, 'a');
    expect([repeated.status, repeated.text]).toEqual([201, placed.text]);
    expect(repeated.headers['idempotency-replayed']).toBe('true');
    const other = await place(usd(50), tenTeas, 'a');
    expect(other.body.type).toBe('urn:problem:store:idempotency-key-reused');
    expect(await order.prisma.order.count()).toBe(1);
  });

  it('tells an unknown product before a changed price', async () => {
    const response = await place(usd(5), [{ productId: unknown, quantity: 1 }]);
    expect([response.status, response.body.type]).toEqual([400, 'urn:problem:store:unknown-product']);
  });
});
