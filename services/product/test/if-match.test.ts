import request from 'supertest';
import { useDatabase } from '../../../tests/kit/postgres/database.ts';
import { tea, testApp } from './_app.ts';

const product = useDatabase('product').open(testApp);

const writer = { 'id-account': '0a6f3b86-5f0e-4f57-9d3e-3f5d7a1c0b11' };
const etagOf = async (path: string) => (await request(product.app).get(path)).headers.etag ?? '';
const put = (path: string, price: number, ifMatch?: string) =>
  request(product.app)
    .put(path)
    .set({ ...writer, ...(ifMatch !== undefined && { 'if-match': ifMatch }) })
    .send({ ...tea, price });
const remove = (path: string, ifMatch: string) =>
  request(product.app)
    .delete(path)
    .set({ ...writer, 'if-match': ifMatch });

let path: string;
beforeEach(async () => {
  path = (await product.post(tea)).headers.location ?? '';
});

it('a write happens in the state that it names, and in no other', async () => {
  const seen = await etagOf(path);
  expect((await put(path, 2, seen)).status).toBe(200);
  const late = await put(path, 3, seen);
  expect({ status: late.status, detail: late.body.detail }).toEqual({
    status: 412,
    detail: 'It has changed since you have read it. Read it again, and decide anew.',
  });
  expect((await remove(path, seen)).status).toBe(412);
  expect((await request(product.app).get(path)).body.price).toBe(2);
  expect((await put(path, 3, `"another", ${await etagOf(path)}`)).status).toBe(200);
  expect((await remove(path, '*')).status).toBe(204);
  expect((await put(path, 1, '*')).status).toBe(404);
});

it('a weak tag is no state that is named', async () => {
  expect((await put(path, 2, `W/${await etagOf(path)}`)).status).toBe(412);
});

it('of many that have seen the same state one writes', async () => {
  const seen = await etagOf(path);
  const answers = await Promise.all(Array.from({ length: 8 }, (_, n) => put(path, n + 10, seen)));
  expect(answers.map(({ status }) => status).sort()).toEqual([200, ...Array(7).fill(412)]);
});
