import { useDatabase } from '../../../../tests/kit/postgres/database.ts';
import { alice, as, fakeProducts, salt, tea, testApp } from '../_app.ts';

const products = fakeProducts();
const database = useDatabase('order');
const taxed = database.open((url) => testApp(url, { products, env: { STORE_TAX_PERMILLE: '230' } }));
const untaxed = database.open((url) => testApp(url, { products }));
const customer = as(alice, taxed);

const items = [
  { productId: tea, quantity: 1 },
  { productId: salt, quantity: 3 },
];

interface Item {
  productId: string;
  taxPermille?: number;
}
const ratesOf = ({ items }: { items: Item[] }) => items.map(({ taxPermille }) => taxPermille);

async function createdOf(id: string): Promise<{ total: { amount: number }; taxes?: object[] }> {
  const { payload } = await taxed.prisma.outbox.findFirstOrThrow({ where: { key: id, kind: 'OrderCreated' } });
  return JSON.parse(payload);
}

beforeEach(() => {
  products.taxes = {};
});

it('an order keeps the rate of each line when it is placed: of the product, or else of the store', async () => {
  products.taxes = { [salt]: 60 };
  const placed = await customer.place({ items }).expect(201);
  products.taxes = { [tea]: 10, [salt]: 10 };
  const { id } = placed.body;
  expect(ratesOf(placed.body)).toEqual([230, 60]);
  const read = await customer.call('get', `/orders/${id}`).expect(200);
  expect(read.text).toBe(placed.text);
  const { content } = (await customer.call('get', '/orders?size=1').expect(200)).body;
  expect(content).toEqual([placed.body]);
});

it.each([
  [
    'its rates, with gross amounts that add up to the total',
    { [salt]: 60 },
    [
      [60, 0.02],
      [230, 4.5],
    ],
  ],
  ['one rate for lines that have the same', {}, [[230, 4.52]]],
  [
    'the rate 0 beside others',
    { [salt]: 0 },
    [
      [0, 0.02],
      [230, 4.5],
    ],
  ],
])('OrderCreated has %s', async (_, own, taxes) => {
  products.taxes = own;
  const { id } = (await customer.place({ items }).expect(201)).body;
  const event = await createdOf(id);
  expect(event.total.amount).toBe(4.52);
  expect(event.taxes).toEqual(taxes.map(([permille, gross]) => ({ permille, gross })));
});

it('nothing is said of tax if no rate is above 0', async () => {
  const placed = await as(alice, untaxed).place({ items }).expect(201);
  const { id } = placed.body;
  expect(placed.text).not.toContain('tax');
  expect(await createdOf(id)).not.toHaveProperty('taxes');
  const stored = await taxed.prisma.orderItem.findMany({ where: { orderId: id } });
  expect(stored.map(({ taxPermille }) => taxPermille)).toEqual([0, 0]);
});

it('an order of the previous release, which knows no rates, has none', async () => {
  const placed = await customer.place({ items }).expect(201);
  const { id } = placed.body;
  await taxed.prisma.orderItem.updateMany({ where: { orderId: id }, data: { taxPermille: null } });
  expect(ratesOf((await customer.call('get', `/orders/${id}`).expect(200)).body)).toEqual([undefined, undefined]);
});
