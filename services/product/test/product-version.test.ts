import request from 'supertest';
import { queryOnce, useDatabase } from '../../../tests/kit/postgres/database.ts';
import { tea, testApp, unknown } from './_app.ts';

const database = useDatabase('product');
const product = database.open(testApp);

let path: string;
beforeEach(async () => {
  const made = await product.post(tea);
  expect(made.body.version).toBe(1);
  path = made.headers.location ?? '';
});

const versions = async () => {
  const id = path.split('/').at(-1);
  return [(await product.get(path)).body.version, (await product.get(`/products?id=${id}`)).body[0].version];
};

it('counts each update, whoever writes: also a replica of the release before, which does not know it', async () => {
  expect((await product.put(path, { ...tea, price: 5 })).body.version).toBe(2);
  expect(await versions()).toEqual([2, 2]);
  await queryOnce(
    database.url,
    `update products set name = 'Green tea', price = 6, unit = 'kg' where id = '${path.slice(10)}'`,
  );
  await queryOnce(database.url, `update products set version = 1 where id = '${path.slice(10)}'`);
  expect(await versions()).toEqual([4, 4]);
});

it('a change that names a version happens while it is current, and is 409 afterwards', async () => {
  expect((await product.put(path, { ...tea, price: 5, version: 1 })).body).toMatchObject({ price: 5, version: 2 });
  const stale = await product.put(path, { ...tea, price: 6, version: 1 });
  expect({ status: stale.status, ...stale.body }).toMatchObject({
    status: 409,
    type: 'urn:problem:store:stale-version',
    detail: 'It has changed since you have read it: its version is 2.',
  });
  expect((await product.put(path, { ...tea, price: 6, version: 3 })).status).toBe(409);
  expect((await product.get(path)).body).toMatchObject({ price: 5, version: 2 });
  expect((await product.put(path, { ...tea, price: 6, version: null })).body.version).toBe(3);
  expect((await product.put(`/internal${path}`, { ...tea, version: 2 })).status).toBe(409);
  expect((await product.put(unknown, { ...tea, version: 1 })).status).toBe(404);
});

it('of many that have seen the same version one writes', async () => {
  const answers = await Promise.all(
    Array.from({ length: 8 }, (_, n) => product.put(path, { ...tea, price: n + 10, version: 1 })),
  );
  expect(answers.map(({ status }) => status).sort()).toEqual([200, ...Array(7).fill(409)]);
});

it('If-Match comes first, and stays 412', async () => {
  const put = (ifMatch: string, version: number) =>
    request(product.app)
      .put(path)
      .set({ 'id-account': '0a6f3b86-5f0e-4f57-9d3e-3f5d7a1c0b11', 'if-match': ifMatch })
      .send({ ...tea, version });
  expect((await put('"another"', 7)).status).toBe(412);
  expect((await put('*', 7)).status).toBe(409);
  expect((await put('*', 1)).status).toBe(200);
});

it('a new product takes no version: it is an unknown field, and ignored', async () => {
  expect((await product.post({ ...tea, version: 7 })).body.version).toBe(1);
  expect((await product.post({ ...tea, version: 'x' })).status).toBe(201);
});
