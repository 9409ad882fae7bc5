import request from 'supertest';
import { deferred } from '../../../../tests/kit/deferred.ts';
import { useDatabase } from '../../../../tests/kit/postgres/database.ts';
import { until } from '../../../../tests/kit/until.ts';
import { alice, bob, fakeProducts, tea, testApp } from '../_app.ts';

const products = fakeProducts();
let now = new Date();
const order = useDatabase('order').open((url) => testApp(url, { products, clock: () => now }));

beforeEach(async () => {
  now = new Date();
  await order.prisma.$executeRaw`truncate orders, order_items, idempotency_keys, outbox`;
});

const place = (key: string, accountId = alice) =>
  request(order.app)
    .post('/orders')
    .set('id-account', accountId)
    .set('Idempotency-Key', key)
    .send({ items: [{ productId: tea, quantity: 1 }] })
    .then((response) => response);

const list = (query: Record<string, string>, accountId = alice) =>
  request(order.app).get('/orders').query(query).set('id-account', accountId);

async function expectListed(ids: string[], query: Record<string, string>, accountId?: string) {
  const { status, body, headers } = await list(query, accountId);
  expect(status).toBe(200);
  expect(body.content.map(({ id }: { id: string }) => id)).toEqual(ids);
  expect(body.page).toMatchObject({ totalElements: ids.length, totalPages: ids.length });
  expect(headers).not.toHaveProperty('link');
}

test('GET /orders?idempotencyKey= lists the one order that was placed with the key, as it is now', async () => {
  const { body: first } = await place('a');
  await place('b');
  await expectListed([first.id], { idempotencyKey: 'a' });
  await request(order.app).post(`/orders/${first.id}/cancellation`).set('id-account', alice).expect(201);
  expect((await list({ idempotencyKey: 'a' })).body.content[0].status).toBe('CANCELLED');
  await expectListed([], { idempotencyKey: 'c' });
  await expectListed([], { idempotencyKey: 'A' });
});

test('GET /orders?idempotencyKey= lists nothing of another account, though it has used the same key', async () => {
  const { body: own } = await place('a');
  await expectListed([], { idempotencyKey: 'a' }, bob);
  const { body: other } = await place('a', bob);
  await expectListed([own.id], { idempotencyKey: 'a' });
  await expectListed([other.id], { idempotencyKey: 'a' }, bob);
  await expectListed([], { idempotencyKey: 'a', customerId: bob });
});

test.each([
  [{ status: 'PENDING' }, true],
  [{ status: 'CONFIRMED' }, false],
  [{ sort: 'total,asc' }, true],
  [{ customerId: alice }, true],
  [{ size: '1' }, true],
])('GET /orders?idempotencyKey= with %j', async (query, isListed) => {
  const { body } = await place('a');
  await place('b');
  await expectListed(isListed ? [body.id] : [], { ...query, idempotencyKey: 'a' });
});

test('GET /orders?idempotencyKey= knows a key for 24 hours, whatever deletes the expired', async () => {
  const { body } = await place('a');
  now = new Date(now.getTime() + 24 * 60 * 60 * 1000);
  await expectListed([body.id], { idempotencyKey: 'a' });
  now = new Date(now.getTime() + 1);
  await expectListed([], { idempotencyKey: 'a' });
});

test('GET /orders?idempotencyKey= places nothing, lists nothing that is hidden, and nothing before it is stored', async () => {
  const { promise: released, resolve: release } = deferred();
  const before = products.asked.length;
  products.answer = () => released;
  const placing = place('slow');
  await until('the request asks for prices', () => products.asked.length > before);
  await expectListed([], { idempotencyKey: 'slow' });
  products.answer = async () => undefined;
  release();
  const { id } = (await placing).body;
  await expectListed([id], { idempotencyKey: 'slow' });
  await request(order.app).delete(`/orders/${id}`).set('id-account', alice).expect(204);
  await expectListed([], { idempotencyKey: 'slow' });
  expect(await order.prisma.order.count()).toBe(1);
});

test.each([
  ['no characters', 400, ''],
  ['255 characters', 200, 'k'.repeat(255)],
  ['256 characters', 400, 'k'.repeat(256)],
  ['a space', 400, 'a b'],
  ['non-ASCII letters', 400, 'schlüssel'],
  ['SQL', 200, `';drop/**/table/**/orders;--`],
])('GET /orders?idempotencyKey= of %s returns %i', async (_name, status, idempotencyKey) => {
  const response = await list({ idempotencyKey });
  expect(response.status).toBe(status);
  if (status === 400) expect(response.body.errors[0].path).toBe('query.idempotencyKey');
});

test('GET /orders?idempotencyKey= takes quotes as the header does, and one key only', async () => {
  const { body } = await place('"a"');
  await expectListed([body.id], { idempotencyKey: '"a"' });
  await expectListed([body.id], { idempotencyKey: 'a' });
  await request(order.app).get('/orders?idempotencyKey=a&idempotencyKey=b').set('id-account', alice).expect(400);
});
