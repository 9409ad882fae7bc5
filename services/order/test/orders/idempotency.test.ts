import { readFile } from 'node:fs/promises';
import { unavailable } from '@store/shared/values/errors';
import { dayMs } from '@store/shared/values/time';
import type request from 'supertest';
import { queryOnce, useDatabase } from '../../../../tests/kit/postgres/database.ts';
import { until } from '../../../../tests/kit/until.ts';
import {
  alice,
  as,
  bob,
  fakeProducts,
  nothing,
  oneOrder,
  oneTea,
  rowCounts,
  salt,
  tea,
  testApp,
  unknown,
} from '../_app.ts';

const products = fakeProducts();
let now = new Date();
const database = useDatabase('order');
const order = database.open((url) => testApp(url, { products, clock: () => now }));
const customer = as(alice, order);
const elsewhere = as(alice, database.open(testApp));
const { placeWith: place } = customer;

beforeEach(async () => {
  now = new Date();
  products.asked = [];
  products.answer = async () => undefined;
  await order.empty();
});

/** The migration that finds the orders of keys that were stored before the column existed. */
const backfill = new URL(
  '../../prisma/migrations/20261127035001_orders_of_keys_backfill/migration.sql',
  import.meta.url,
);

const oneSalt = { items: [{ productId: salt, quantity: 1 }] };

function expectReplayed(response: request.Response, first: request.Response) {
  expect(response.status).toBe(201);
  expect(response.headers['idempotency-replayed']).toBe('true');
  expect(response.headers.location).toBe(first.headers.location);
  expect(response.text).toBe(first.text);
}
const isFirst = ({ status, headers }: request.Response) => status === 201 && !headers['idempotency-replayed'];

/** Makes requests wait for prices until the returned function is called. */
function holdPrices(): () => void {
  const { promise, resolve } = Promise.withResolvers<void>();
  products.answer = () => promise;
  return () => {
    products.answer = async () => undefined;
    resolve();
  };
}

describe('a request repeated with its Idempotency-Key', () => {
  it('gets the stored reply', async () => {
    const first = await place('a');
    expect(isFirst(first)).toBe(true);
    for (const { placeWith } of [customer, elsewhere]) expectReplayed(await placeWith('a'), first);
    expect(await rowCounts(order.prisma)).toEqual(oneOrder);
    await customer.cancel(first.body.id).expect(201);
    expectReplayed(await place('a'), first);
    await customer.remove(first.body.id).expect(204);
    expectReplayed(await place('a'), first);
  });

  // expected-total.test.ts covers changed prices and deleted products.
  it('gets the stored reply, or 422, even if prices cannot be read', async () => {
    const first = await place('a');
    products.answer = () => Promise.reject(unavailable('The product service'));
    expectReplayed(await place('a'), first);
    expect((await place('a', oneSalt)).status).toBe(422);
    expect((await place('b')).status).toBe(503);
  });

  it('gets the stored reply, or 422 for another body, if it was overtaken', async () => {
    const release = holdPrices();
    const [slow, slowOther] = [place('overtaken'), place('overtaken-too', oneSalt)];
    await until('both requests ask for prices', () => products.asked.length === 2);
    const fast = await elsewhere.placeWith('overtaken');
    await elsewhere.placeWith('overtaken-too');
    release();
    expectReplayed(await slow, fast);
    expect((await slowOther).status).toBe(422);
    expect(await rowCounts(order.prisma)).toEqual({ orders: 2, items: 2, keys: 2, events: 2 });
  });

  it('may differ in white space, order of fields, unknown fields and spelling', async () => {
    const first = await place('a');
    const body = `{ "items":[\n{"quantity":1.0e0,"productId":"${tea.toUpperCase()}","x":1}],"__proto__":{"a":1}}`;
    expectReplayed(await place('a', body), first);
  });

  it('gets the same if the previous release stored the key, before or after the migrations, or reused it', async () => {
    const [first, second] = [await place('a'), await place('b')];
    const copied = 'account_id, key, request_hash, location, body, created_at';
    const replayed = async (key: string, response: request.Response) => expectReplayed(await place(key), response);
    // A replica of the previous release, beside this release.
    await queryOnce(
      database.url,
      `with stored as (delete from idempotency_keys returning *)
       insert into idempotency_keys (${copied}) select ${copied} from stored`,
    );
    await replayed('a', first);
    await queryOnce(
      database.url,
      `update idempotency_keys as a set location = b.location, body = b.body from idempotency_keys as b
       where a.key = 'a' and b.key = 'b'`,
    );
    await replayed('a', second);
    // Before the migrations.
    await order.prisma.idempotencyKey.updateMany({ data: { orderId: null } });
    await queryOnce(database.url, await readFile(backfill, 'utf8'));
    await replayed('b', second);
  });

  it('gets the same from a reply that the previous release stored, and from a reply that the next release stores', async () => {
    const first = await place('a');
    const [{ version: _, ...before }] = (await customer.list()).body.content;
    for (const body of [JSON.stringify(before), null]) {
      await order.prisma.idempotencyKey.updateMany({ data: { body } });
      expectReplayed(await place('a'), first);
    }
  });

  it('stores only a short form of the reply, which the previous release can read', async () => {
    const items = Array.from({ length: 100 }, () => ({ productId: crypto.randomUUID(), quantity: 1 }));
    for (const { productId } of items) products.prices[productId] = '4.5';
    const first = await place('large', { items });
    expect(first.body.items).toHaveLength(100);
    expectReplayed(await place('large', { items }), first);
    const [row] = await order.prisma.idempotencyKey.findMany();
    expect(JSON.stringify(row).length).toBeLessThan(1_000);
    expect(JSON.parse(row?.body ?? '')).toEqual({ ...first.body, items: [] });
  });
});

describe('concurrent requests with one Idempotency-Key', () => {
  const send20 = (key: string, other = elsewhere) =>
    Promise.all(Array.from({ length: 20 }, (_, index) => (index % 2 ? customer : other).placeWith(key)));

  it('to two replicas create one order and one event', async () => {
    const responses = await send20('race');
    const [first, ...more] = responses.filter(isFirst);
    if (first === undefined) throw new Error('None was placed.');
    expect(more).toEqual([]);
    for (const response of responses.filter((other) => other !== first)) {
      if (response.status !== 409) expectReplayed(response, first);
      else expect(response.body.type).toBe('urn:problem:store:idempotency-key-in-use');
    }
    for (const { placeWith } of [customer, elsewhere]) expectReplayed(await placeWith('race'), first);
    expect(await rowCounts(order.prisma)).toEqual(oneOrder);
  });

  it('create one order if the key has expired', async () => {
    await place('a');
    now = new Date(now.getTime() + dayMs + 1);
    const later = database.closeLater(testApp(database.url, { clock: () => now }));
    expect((await send20('a', as(alice, later))).filter(isFirst)).toHaveLength(1);
    expect(await rowCounts(order.prisma)).toEqual({ orders: 2, items: 2, keys: 1, events: 2 });
  });

  it('get 409 while the first is in flight, but not with other keys or accounts', async () => {
    const release = holdPrices();
    const first = place('slow');
    await until('the first request asks for prices', () => products.asked.length === 1);
    const second = await place('slow');
    expect([second.status, second.headers['retry-after']]).toEqual([409, '1']);
    products.answer = async () => undefined;
    expect((await place('other')).status).toBe(201);
    expect((await as(bob, order).placeWith('slow')).status).toBe(201);
    release();
    expect((await first).status).toBe(201);
    expectReplayed(await place('slow'), await first);
  });
});

describe('an Idempotency-Key', () => {
  it('returns 422 with another body', async () => {
    await place('a');
    const response = await place('a', oneSalt);
    expect([response.status, response.body.type]).toEqual([422, 'urn:problem:store:idempotency-key-reused']);
    expect(await rowCounts(order.prisma)).toEqual(oneOrder);
  });

  it('belongs to one account, is case-sensitive, and is stored without its quotes', async () => {
    const first = await place('"a-b"');
    expectReplayed(await place('a-b'), first);
    expectReplayed(await place('  "a-b" '), first);
    const others = [await as(bob, order).placeWith('a-b', oneSalt), await place('A-b', oneSalt)];
    expect(new Set([first, ...others].map(({ body }) => body.id)).size).toBe(3);
    expect(others[0]?.body.customerId).toBe(bob);
  });

  it('expires after 24 hours, and not before', async () => {
    const first = await place('a');
    now = new Date(now.getTime() + dayMs);
    expectReplayed(await place('a'), first);
    now = new Date(now.getTime() + 1);
    const second = await place('a', oneSalt);
    expect(isFirst(second)).toBe(true);
    expect(second.body.id).not.toBe(first.body.id);
    expectReplayed(await place('a', oneSalt), second);
    expect(await rowCounts(order.prisma)).toEqual({ orders: 2, items: 2, keys: 1, events: 2 });
  });

  it.each([
    ['k'.repeat(255), 201],
    [`"${'k'.repeat(255)}"`, 201],
    [String.fromCharCode(...Array.from({ length: 94 }, (_, index) => 33 + index)), 201],
    ['"', 201],
    ['k'.repeat(256), 400],
    ...['', '""', 'a b', 'a\tb', 'schlüssel', 'a, b'].map((key): [string, number] => [key, 400]),
  ])('of %j is %i', async (key, expected) => {
    expect((await place(key)).status).toBe(expected);
    expect(await rowCounts(order.prisma)).toEqual(expected === 201 ? oneOrder : nothing);
  });

  it.each([
    ['an unknown product', { items: [{ productId: unknown, quantity: 1 }] }, 400],
    ["another account's customerId", { ...oneTea, customerId: bob }, 403],
    ['malformed JSON', '{', 400],
    ['prices that cannot be read', oneTea, 503],
  ])('stays unused if the request has %s, and nothing is stored', async (_name, body, expected) => {
    if (expected === 503) products.answer = () => Promise.reject(unavailable('The product service'));
    expect((await place('a', body)).status).toBe(expected);
    expect(await rowCounts(order.prisma)).toEqual(nothing);
    products.answer = async () => undefined;
    expect((await place('a')).status).toBe(201);
  });
});
