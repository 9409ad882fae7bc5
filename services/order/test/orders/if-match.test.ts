import request from 'supertest';
import { createTestDatabase, type TestDatabase } from '../../../../tests/kit/postgres/database.ts';
import { alice, eventsOf, tea, testApp } from '../_app.ts';

let database: TestDatabase;
let order: ReturnType<typeof testApp>;

beforeAll(async () => {
  database = await createTestDatabase('order');
  order = testApp(database.url);
});

afterAll(async () => {
  await order.close();
  await database.drop();
});

const own = { 'id-account': alice };
const get = (id: string, headers = {}) =>
  request(order.app)
    .get(`/orders/${id}`)
    .set({ ...own, ...headers });
const cancel = (id: string, ifMatch: string) =>
  request(order.app)
    .patch(`/orders/${id}`)
    .set({ ...own, 'if-match': ifMatch })
    .send({ status: 'CANCELLED' });
const remove = (id: string, ifMatch: string) =>
  request(order.app)
    .delete(`/orders/${id}`)
    .set({ ...own, 'if-match': ifMatch });

let id: string;
let seen: string;
beforeEach(async () => {
  const body = { items: [{ productId: tea, quantity: 1 }] };
  id = (await request(order.app).post('/orders').set(own).send(body)).body.id;
  seen = (await get(id)).headers.etag ?? '';
});

it('an order has a tag, by which a client learns that it is current still', async () => {
  expect((await get(id, { 'if-none-match': seen })).status).toBe(304);
  expect((await cancel(id, seen)).status).toBe(200);
  const { status, headers } = await get(id, { 'if-none-match': seen });
  expect({ status, isAnother: headers.etag !== seen }).toEqual({ status: 200, isAnother: true });
});

it('is cancelled and deleted in the state that the client has seen, and in no other', async () => {
  expect((await cancel(id, '"another"')).status).toBe(412);
  expect((await remove(id, '"another"')).status).toBe(412);
  expect((await get(id)).body.status).toBe('PENDING');
  expect(await eventsOf(order.prisma, id)).toEqual(['OrderCreated']);
  expect((await cancel(id, seen)).status).toBe(200);
  expect((await remove(id, seen)).status).toBe(412);
  expect((await remove(id, (await get(id)).headers.etag ?? '')).status).toBe(204);
});

it('of many that have seen the same state one cancels', async () => {
  const answers = await Promise.all(Array.from({ length: 6 }, () => cancel(id, seen)));
  expect(answers.map(({ status }) => status).sort()).toEqual([200, ...Array(5).fill(412)]);
});
