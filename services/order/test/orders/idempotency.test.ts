import request from 'supertest';
import { createTestDatabase, type TestDatabase } from '../../../../tests/kit/database.ts';
import { until } from '../../../../tests/kit/until.ts';
import { alice, bob, eventsOf, fakeProducts, rowCounts, salt, tea, testApp, unknown } from '../_app.ts';

const products = fakeProducts();
let now = new Date();
let database: TestDatabase;
let order: ReturnType<typeof testApp>;
let twin: ReturnType<typeof testApp>;

beforeAll(async () => {
  database = await createTestDatabase('order');
  order = testApp(database.url, { products, clock: () => now });
  twin = testApp(database.url);
});

afterAll(async () => {
  await Promise.all([order.close(), twin.close()]);
  await database.drop();
});

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

it('answers a repeat as it answered the first, and asks nobody', async () => {
  const first = await place('a');
  expect(first.status).toBe(201);
  expect(first.headers).not.toHaveProperty('idempotency-replayed');
  products.asked = [];
  expectReplayed(await place('a'), first);
  expectReplayed(await place('a', oneTea, twin.app), first);
  expect(products.asked).toEqual([]);
  expect(await rowCounts(order.prisma)).toEqual(oneOrder);
});

it.each([
  ['one process', () => [order.app]],
  ['two processes', () => [order.app, twin.app]],
])('20 requests at once with one key to %s make one order and one event', async (_name, apps) => {
  const send = (index: number) => place('race', oneTea, apps()[index % apps().length]);
  const answers = await Promise.all(Array.from({ length: 20 }, (_, index) => send(index)));
  const placed = answers.filter(({ status, headers }) => status === 201 && !('idempotency-replayed' in headers));
  expect(placed).toHaveLength(1);
  const [first] = placed;
  for (const answer of answers.filter((other) => other !== first)) {
    if (answer.status === 409) {
      expect(answer.headers['retry-after']).toBe('1');
      expect(answer.body.type).toBe('urn:problem:store:idempotency-key-in-use');
    } else expectReplayed(answer, first as request.Response);
  }
  for (const index of answers.keys()) expectReplayed(await send(index), first as request.Response);
  expect(await rowCounts(order.prisma)).toEqual(oneOrder);
  expect(await eventsOf(order.prisma, first?.body.id)).toEqual(['OrderCreated']);
});

it('answers 409 while the first request waits for the product service, and 201 to another key', async () => {
  let release = () => {};
  const held = new Promise<void>((resolve) => {
    release = resolve;
  });
  products.answer = () => held;
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

it('a request that another process overtook while it waited for the product service gets its reply', async () => {
  let release = () => {};
  const held = new Promise<void>((resolve) => {
    release = resolve;
  });
  products.answer = () => held;
  const slow = place('overtaken');
  const slowOther = place('overtaken-too', oneSalt);
  await until('both ask for prices', () => products.asked.length === 2);
  const fast = await place('overtaken', oneTea, twin.app);
  await place('overtaken-too', oneTea, twin.app);
  release();
  expectReplayed(await slow, fast);
  expect((await slowOther).status).toBe(422);
  expect(await rowCounts(order.prisma)).toEqual({ orders: 2, items: 2, keys: 2, events: 2 });
});

it('answers 422 to another body under the same key', async () => {
  await place('a');
  const response = await place('a', oneSalt);
  expect(response.status).toBe(422);
  expect(response.body.type).toBe('urn:problem:store:idempotency-key-reused');
  expect(await rowCounts(order.prisma)).toEqual(oneOrder);
});

it.each([
  ['white space', `{ "items" : [ {"productId":"${tea}",\n"quantity":1} ] }`],
  ['the order of fields', `{"items":[{"quantity":1,"productId":"${tea}"}]}`],
  ['unknown fields', `{"items":[{"productId":"${tea}","quantity":1,"note":"x"}],"__proto__":{"a":1}}`],
  ['the spelling of a UUID or number', `{"items":[{"productId":"${tea.toUpperCase()}","quantity":1.0e0}]}`],
])('does not mind %s', async (_name, body) => {
  const first = await place('a');
  expectReplayed(await place('a', body), first);
});

it('does not mind quotes around the key', async () => {
  const first = await place('"a b"'.replace(' ', '-'));
  expectReplayed(await place('a-b'), first);
  expectReplayed(await place('  "a-b" '), first);
});

it('keeps the keys of accounts apart, and keys that differ in case', async () => {
  const first = await place('a');
  const ids = [first, await place('a', oneSalt, order.app, bob), await place('A', oneSalt)].map(({ body }) => body.id);
  expect(new Set(ids).size).toBe(3);
  const { body } = await place('a', oneSalt, order.app, bob);
  expect(body.customerId).toBe(bob);
});

it('forgets a key after 24 hours and not before', async () => {
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

it('20 requests at once with a key that has just been forgotten make one order', async () => {
  await place('a');
  now = new Date(now.getTime() + 24 * 60 * 60 * 1000 + 1);
  const later = testApp(database.url, { clock: () => now });
  const answers = await Promise.all(
    Array.from({ length: 20 }, (_, index) => place('a', oneTea, index % 2 ? order.app : later.app)),
  );
  expect(answers.filter(({ status, headers }) => status === 201 && !headers['idempotency-replayed'])).toHaveLength(1);
  expect(await rowCounts(order.prisma)).toEqual({ orders: 2, items: 2, keys: 1, events: 2 });
  await later.close();
});

it.each([
  ['255 characters', 'k'.repeat(255), 201],
  ['255 characters in quotes', `"${'k'.repeat(255)}"`, 201],
  ['every visible character', Array.from({ length: 94 }, (_, index) => String.fromCharCode(33 + index)).join(''), 201],
  ['a quote alone', '"', 201],
  ['256 characters', 'k'.repeat(256), 400],
  ['nothing', '', 400],
  ['nothing in quotes', '""', 400],
  ['a space', 'a b', 400],
  ['a tab', 'a\tb', 400],
  ['letters beyond ASCII', 'schlüssel', 400],
  ['two keys', 'a, b', 400],
])('a key of %s', async (_name, key, expected) => {
  const response = await place(key);
  expect(response.status).toBe(expected);
  expect(await rowCounts(order.prisma)).toEqual(expected === 201 ? oneOrder : nothing);
});

it.each([
  ['an unknown product', { items: [{ productId: unknown, quantity: 1 }] }, 400],
  ['a foreign customerId', { ...oneTea, customerId: bob }, 403],
  ['a broken body', '{', 400],
])('%s stores nothing and leaves the key free', async (_name, body, expected) => {
  expect((await place('a', body)).status).toBe(expected);
  expect(await rowCounts(order.prisma)).toEqual(nothing);
  expect((await place('a')).status).toBe(201);
});

it('gives the stored reply even when the order has been cancelled or deleted since', async () => {
  const first = await place('a');
  const path = first.headers.location ?? '';
  await request(order.app).post(`${path}/cancellation`).set('id-account', alice).expect(201);
  expectReplayed(await place('a'), first);
  await request(order.app).delete(path).set('id-account', alice).expect(204);
  expectReplayed(await place('a'), first);
  await request(order.app).get(path).set('id-account', alice).expect(404);
});

it('forgetReplies deletes what is older than 24 hours, in any number', async () => {
  await place('young');
  await order.prisma.$executeRaw`
    insert into idempotency_keys (account_id, key, request_hash, location, body, created_at)
    select ${alice}::uuid, n::text, '', '', '', ${now}::timestamptz - interval '24 hours 1 ms'
    from generate_series(1, 12000) as n`;
  const first = await place('a');
  expect(await order.repository.deleteExpiredReplies(now)).toBe(12_000);
  expect(await order.repository.deleteExpiredReplies(now)).toBe(0);
  expectReplayed(await place('a'), first);
  expect((await rowCounts(order.prisma)).keys).toBe(2);
});
