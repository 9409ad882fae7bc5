import { unavailable } from '@store/shared/values/errors';
import { Decimal } from '@store/shared/values/money';
import request from 'supertest';
import { deferred } from '../../../../tests/kit/deferred.ts';
import { useDatabase } from '../../../../tests/kit/postgres/database.ts';
import { until } from '../../../../tests/kit/until.ts';
import { alice, bob, eventsOf, fakeProducts, rowCounts, salt, tea, testApp, unknown } from '../_app.ts';

const many = Array.from({ length: 100 }, (_, n) => `00000000-0000-4000-8000-${String(n).padStart(12, '0')}`);
const manyItems = many.map((productId) => ({ productId, quantity: 1 }));

const products = fakeProducts();
let now = new Date();
const database = useDatabase('order');
const order = database.open((url) => testApp(url, { products, clock: () => now }));
const replica = database.open(testApp);

beforeEach(async () => {
  now = new Date();
  products.asked = [];
  products.answer = async () => undefined;
  await order.prisma.$executeRaw`truncate orders, order_items, idempotency_keys, outbox`;
});

const oneTea = { items: [{ productId: tea, quantity: 1 }] };
const oneSalt = { items: [{ productId: salt, quantity: 1 }] };

const place = (key: string, body: string | object = oneTea, app = order.app, accountId = alice) =>
  request(app)
    .post('/orders')
    .set('id-account', accountId)
    .set('Idempotency-Key', key)
    .type('application/json')
    .send(body)
    .then((response) => response);

const oneOrder = { orders: 1, items: 1, keys: 1, events: 1 };
const nothing = { orders: 0, items: 0, keys: 0, events: 0 };

function expectReplayed(response: request.Response, first: request.Response) {
  expect(response.status).toBe(201);
  expect(response.headers['idempotency-replayed']).toBe('true');
  expect(response.headers.location).toBe(first.headers.location);
  expect(response.text).toBe(first.text);
}

test('a request repeated with its Idempotency-Key gets the stored reply', async () => {
  const first = await place('a');
  expect(first.status).toBe(201);
  expect(first.headers).not.toHaveProperty('idempotency-replayed');
  expectReplayed(await place('a'), first);
  expectReplayed(await place('a', oneTea, replica.app), first);
  expect(await rowCounts(order.prisma)).toEqual(oneOrder);
});

test.each([
  ['prices cannot be read', () => Promise.reject(unavailable('The product service')), 503],
  ['the product is gone', async () => new Map(), 400],
])(
  'a request repeated with its Idempotency-Key gets the stored reply, or 422, although %s',
  async (_name, prices, status) => {
    const first = await place('a');
    const later = testApp(database.url, { products: { prices } });
    expectReplayed(await place('a', oneTea, later.app), first);
    expect((await place('a', oneSalt, later.app)).status).toBe(422);
    expect((await place('b', oneTea, later.app)).status).toBe(status);
    expect(await rowCounts(order.prisma)).toEqual(oneOrder);
    await later.close();
  },
);

test.each([
  ['one replica', () => [order.app]],
  ['two replicas', () => [order.app, replica.app]],
])('20 concurrent requests with one Idempotency-Key to %s create one order and one event', async (_name, apps) => {
  const send = (index: number) => place('race', oneTea, apps()[index % apps().length]);
  const responses = await Promise.all(Array.from({ length: 20 }, (_, index) => send(index)));
  const placed = responses.filter(({ status, headers }) => status === 201 && !('idempotency-replayed' in headers));
  expect(placed).toHaveLength(1);
  const [first] = placed;
  for (const response of responses.filter((other) => other !== first)) {
    if (response.status === 409) {
      expect(response.headers['retry-after']).toBe('1');
      expect(response.body.type).toBe('urn:problem:store:idempotency-key-in-use');
    } else expectReplayed(response, first as request.Response);
  }
  for (const index of responses.keys()) expectReplayed(await send(index), first as request.Response);
  expect(await rowCounts(order.prisma)).toEqual(oneOrder);
  expect(await eventsOf(order.prisma, first?.body.id)).toEqual(['OrderCreated']);
});

test('an Idempotency-Key returns 409 while its first request is in flight, unlike other keys and accounts', async () => {
  const { promise: released, resolve: release } = deferred();
  products.answer = () => released;
  const first = place('slow');
  await until('the first request asks for prices', () => products.asked.length === 1);
  const second = await place('slow');
  expect(second.status).toBe(409);
  expect(second.headers['retry-after']).toBe('1');
  products.answer = async () => undefined;
  expect((await place('other')).status).toBe(201);
  expect((await place('slow', oneTea, order.app, bob)).status).toBe(201);
  release();
  expect((await first).status).toBe(201);
  expectReplayed(await place('slow'), await first);
});

test('a request overtaken by one with its Idempotency-Key gets the stored reply, or 422 for another body', async () => {
  const { promise: released, resolve: release } = deferred();
  products.answer = () => released;
  const slow = place('overtaken');
  const slowOther = place('overtaken-too', oneSalt);
  await until('both requests ask for prices', () => products.asked.length === 2);
  const fast = await place('overtaken', oneTea, replica.app);
  await place('overtaken-too', oneTea, replica.app);
  release();
  expectReplayed(await slow, fast);
  expect((await slowOther).status).toBe(422);
  expect(await rowCounts(order.prisma)).toEqual({ orders: 2, items: 2, keys: 2, events: 2 });
});

test('an Idempotency-Key returns 422 with another body', async () => {
  await place('a');
  const response = await place('a', oneSalt);
  expect(response.status).toBe(422);
  expect(response.body.type).toBe('urn:problem:store:idempotency-key-reused');
  expect(await rowCounts(order.prisma)).toEqual(oneOrder);
});

test.each([
  ['white space', `{ "items" : [ {"productId":"${tea}",\n"quantity":1} ] }`],
  ['the order of fields', `{"items":[{"quantity":1,"productId":"${tea}"}]}`],
  ['unknown fields', `{"items":[{"productId":"${tea}","quantity":1,"note":"x"}],"__proto__":{"a":1}}`],
  ['the spelling of a UUID or number', `{"items":[{"productId":"${tea.toUpperCase()}","quantity":1.0e0}]}`],
])('a request repeated with its Idempotency-Key may differ in %s', async (_name, body) => {
  const first = await place('a');
  expectReplayed(await place('a', body), first);
});

test('quotes around an Idempotency-Key are ignored', async () => {
  const first = await place('"a b"'.replace(' ', '-'));
  expectReplayed(await place('a-b'), first);
  expectReplayed(await place('  "a-b" '), first);
});

test('Idempotency-Keys are separate per account and case-sensitive', async () => {
  const first = await place('a');
  const ids = [first, await place('a', oneSalt, order.app, bob), await place('A', oneSalt)].map(({ body }) => body.id);
  expect(new Set(ids).size).toBe(3);
  const { body } = await place('a', oneSalt, order.app, bob);
  expect(body.customerId).toBe(bob);
});

test('an Idempotency-Key expires after 24 hours and not before', async () => {
  const first = await place('a');
  now = new Date(now.getTime() + 24 * 60 * 60 * 1000);
  expectReplayed(await place('a'), first);
  now = new Date(now.getTime() + 1);
  const second = await place('a', oneSalt);
  expect(second.status).toBe(201);
  expect(second.headers).not.toHaveProperty('idempotency-replayed');
  expect(second.body.id).not.toBe(first.body.id);
  expectReplayed(await place('a', oneSalt), second);
  expect(await rowCounts(order.prisma)).toEqual({ orders: 2, items: 2, keys: 1, events: 2 });
});

test('20 concurrent requests with an expired Idempotency-Key create one order', async () => {
  await place('a');
  now = new Date(now.getTime() + 24 * 60 * 60 * 1000 + 1);
  const later = testApp(database.url, { clock: () => now });
  const responses = await Promise.all(
    Array.from({ length: 20 }, (_, index) => place('a', oneTea, index % 2 ? order.app : later.app)),
  );
  expect(responses.filter(({ status, headers }) => status === 201 && !headers['idempotency-replayed'])).toHaveLength(1);
  expect(await rowCounts(order.prisma)).toEqual({ orders: 2, items: 2, keys: 1, events: 2 });
  await later.close();
});

test.each([
  ['255 characters', 201, 'k'.repeat(255)],
  ['255 characters in quotes', 201, `"${'k'.repeat(255)}"`],
  ['every visible character', 201, Array.from({ length: 94 }, (_, index) => String.fromCharCode(33 + index)).join('')],
  ['a quote alone', 201, '"'],
  ['256 characters', 400, 'k'.repeat(256)],
  ['no characters', 400, ''],
  ['no characters in quotes', 400, '""'],
  ['a space', 400, 'a b'],
  ['a tab', 400, 'a\tb'],
  ['non-ASCII letters', 400, 'schlüssel'],
  ['two keys', 400, 'a, b'],
])('an Idempotency-Key of %s returns %i', async (_name, expected, key) => {
  const response = await place(key);
  expect(response.status).toBe(expected);
  expect(await rowCounts(order.prisma)).toEqual(expected === 201 ? oneOrder : nothing);
});

test.each([
  ['an unknown product', { items: [{ productId: unknown, quantity: 1 }] }, 400],
  ["another account's customerId", { ...oneTea, customerId: bob }, 403],
  ['malformed JSON', '{', 400],
])('a request with %s stores nothing and leaves its Idempotency-Key unused', async (_name, body, expected) => {
  expect((await place('a', body)).status).toBe(expected);
  expect(await rowCounts(order.prisma)).toEqual(nothing);
  expect((await place('a')).status).toBe(201);
});

test('a request repeated with its Idempotency-Key gets the stored reply even after the order was cancelled or deleted', async () => {
  const first = await place('a');
  const path = first.headers.location ?? '';
  await request(order.app).post(`${path}/cancellation`).set('id-account', alice).expect(201);
  expectReplayed(await place('a'), first);
  await request(order.app).delete(path).set('id-account', alice).expect(204);
  expectReplayed(await place('a'), first);
  await request(order.app).get(path).set('id-account', alice).expect(404);
});

test('a reply is not stored beside its order', async () => {
  const prices = async (ids: string[]) => new Map(ids.map((id) => [id, new Decimal('4.5')]));
  const large = testApp(database.url, { products: { prices } });
  const first = await place('large', { items: manyItems }, large.app);
  expect(first.body.items).toHaveLength(100);
  expectReplayed(await place('large', { items: manyItems }, large.app), first);
  await large.close();
  const [row] = await order.prisma.idempotencyKey.findMany();
  expect(JSON.stringify(row).length).toBeLessThan(1_000);
});

test('a reply that the previous release has stored is repeated as this one would', async () => {
  const first = await place('a');
  const { version: _, ...before } = first.body;
  await order.prisma.idempotencyKey.updateMany({ data: { body: JSON.stringify(before) } });
  expectReplayed(await place('a'), first);
});

test('the previous release can read the replies of this one', async () => {
  const { text } = await place('a');
  const [row] = await order.prisma.idempotencyKey.findMany();
  expect(JSON.parse(row?.body ?? '')).toEqual({ ...JSON.parse(text), items: [] });
});

test('a reply without a body, as the next release stores it, is derived from its order', async () => {
  const first = await place('a');
  await order.prisma.idempotencyKey.updateMany({ data: { body: null } });
  expectReplayed(await place('a'), first);
});
