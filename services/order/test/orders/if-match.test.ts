import request from 'supertest';
import { useDatabase } from '../../../../tests/kit/postgres/database.ts';
import { alice, eventsOf, tea, testApp } from '../_app.ts';

const order = useDatabase('order').open(testApp);

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

const change = (version: unknown, status = 'CANCELLED') =>
  request(order.app).patch(`/orders/${id}`).set(own).send({ status, version });
const stale = (version: number) => ({
  type: 'urn:problem:store:stale-version',
  status: 409,
  detail: `It has changed since you read it: its version is ${version}.`,
});

it('counts its versions from 1, one for each change of what is shown', async () => {
  const versions = [];
  for (const data of [{}, { paidAt: new Date() }, { shippedAt: new Date() }, { cancelledAt: new Date() }]) {
    await order.prisma.order.update({ where: { id }, data });
    versions.push((await get(id)).body.version);
  }
  expect(versions).toEqual([1, 2, 3, 4]);
});

it('is cancelled by the version that the client has seen, and 409 by another one', async () => {
  await order.prisma.order.update({ where: { id }, data: { status: 'CONFIRMED', paidAt: new Date() } });
  const { status, body } = await change(1);
  expect([status, body]).toEqual([409, expect.objectContaining(stale(2))]);
  expect((await get(id)).body.status).toBe('CONFIRMED');
  expect(await eventsOf(order.prisma, id)).toEqual(['OrderCreated']);
  expect((await change(2)).body).toMatchObject({ status: 'CANCELLED', version: 3 });
  expect((await change(2)).body).toMatchObject(stale(3));
  expect((await change(3)).status).toBe(200);
  expect((await change(null)).status).toBe(200);
});

it('of many that have seen the same version one cancels', async () => {
  const answers = await Promise.all(Array.from({ length: 6 }, () => change(1)));
  expect(answers.map(({ status }) => status).sort()).toEqual([200, ...Array(5).fill(409)]);
});

it.each([0, -1, 1.5, '1', [1]])('refuses the version %j with 400', async (version) => {
  expect((await change(version)).body).toMatchObject({ status: 400, errors: [{ path: 'body.version' }] });
});
