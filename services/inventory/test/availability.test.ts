import { randomUUID } from 'node:crypto';
import request from 'supertest';
import { useDatabase } from '../../../tests/kit/postgres/database.ts';
import { initialStock, orderOf, testInventory } from './_inventory.ts';

const inventory = useDatabase('inventory').open(testInventory);
const get = (ids: string[]) => request(inventory.app).get(`/products/availability?id=${ids.join('&id=')}`);

test('each product is answered once, in the order of the question', async () => {
  const [tea, salt, unseen] = [await inventory.setStock(5), await inventory.setStock(0), randomUUID()];
  const { status, headers, body } = await get([salt.toUpperCase(), unseen, tea, salt]);
  expect(status).toBe(200);
  expect(headers['cache-control']).toBe('no-store');
  expect(body).toEqual([
    { productId: salt, available: 0 },
    { productId: unseen, available: initialStock },
    { productId: tea, available: 5 },
  ]);
});

test('what an order reserves is no longer available', async () => {
  const tea = await inventory.setStock(5);
  expect((await get([tea])).body).toEqual([{ productId: tea, available: 5 }]);
  await inventory.take(orderOf([tea, 2]).created());
  expect((await get([tea])).body).toEqual([{ productId: tea, available: 3 }]);
});

test('up to 100 products are answered, more or none are 400', async () => {
  const ids = Array.from({ length: 101 }, () => randomUUID());
  expect((await get(ids.slice(1))).body).toHaveLength(100);
  for (const refused of [ids, [], ['tea']]) expect((await get(refused)).status).toBe(400);
});
