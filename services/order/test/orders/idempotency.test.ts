import { unavailable } from '@store/shared/values/errors';
import { Decimal } from '@store/shared/values/money';
import type request from 'supertest';
import { deferred } from '../../../../tests/kit/deferred.ts';
import { useDatabase } from '../../../../tests/kit/postgres/database.ts';
import { until } from '../../../../tests/kit/until.ts';
import {
  alice,
  as,
  bob,
  eventsOf,
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

const dayMs = 24 * 60 * 60 * 1000;
const oneSalt = { items: [{ productId: salt, quantity: 1 }] };

function expectReplayed(response: request.Response, first: request.Response) {
  expect(response.status).toBe(201);
  expect(response.headers['idempotency-replayed']).toBe('true');
  expect(response.headers.location).toBe(first.headers.location);
  expect(response.text).toBe(first.text);
}
const isFirst = ({ status, headers }: request.Response) => status === 201 && !headers['idempotency-replayed'];

/** Makes requests wait for prices until it is called. */
function holdPrices(): () => void {
  const { promise, resolve } = deferred();
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
    expectReplayed(await place('a'), first);
    expectReplayed(await elsewhere.placeWith('a'), first);
    expect(await rowCounts(order.prisma)).toEqual(oneOrder);
  });

  it.each([
    ['prices cannot be read', () => Promise.reject(unavailable('The product service')), 503],
    ['the product is gone', async () => new Map(), 400],
  ])('gets the stored reply, or 422, although %s', async (_name, find, status) => {
    const first = await place('a');
    const later = testApp(database.url, { products: { find } });
    const { placeWith } = as(alice, later);
    expectReplayed(await placeWith('a'), first);
    expect((await placeWith('a', oneSalt)).status).toBe(422);
    expect((await placeWith('b')).status).toBe(status);
    expect(await rowCounts(order.prisma)).toEqual(oneOrder);
    await later.close();
  });

  it('gets the stored reply even after the order was cancelled or deleted', async () => {
    const first = await place('a');
    await customer.cancel(first.body.id).expect(201);
    expectReplayed(await place('a'), first);
    await customer.remove(first.body.id).expect(204);
    expectReplayed(await place('a'), first);
    await customer.get(first.body.id).expect(404);
  });

  it('gets the stored reply, or 422 for another body, where it has overtaken the first', async () => {
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

  it.each([
    ['white space', `{ "items" : [ {"productId":"${tea}",\n"quantity":1} ] }`],
    ['the order of fields', `{"items":[{"quantity":1,"productId":"${tea}"}]}`],
    ['unknown fields', `{"items":[{"productId":"${tea}","quantity":1,"note":"x"}],"__proto__":{"a":1}}`],
    ['the spelling of a UUID or number', `{"items":[{"productId":"${tea.toUpperCase()}","quantity":1.0e0}]}`],
  ])('may differ in %s', async (_name, body) => {
    const first = await place('a');
    expectReplayed(await place('a', body), first);
  });

  it.each<[string, () => Promise<unknown>]>([
    ['as the previous release has stored it', () => storeBody(({ version: _, ...before }) => JSON.stringify(before))],
    ['as the next release stores it, without a body', () => storeBody(() => null)],
  ])('gets the same from a reply %s', async (_name, store) => {
    const first = await place('a');
    await store();
    expectReplayed(await place('a'), first);
  });

  async function storeBody(bodyOf: (shown: { version: number }) => string | null): Promise<void> {
    const shown = (await customer.list()).body.content[0];
    await order.prisma.idempotencyKey.updateMany({ data: { body: bodyOf(shown) } });
  }

  it('costs no copy of the reply, of which the previous release can read a short form', async () => {
    const find = async (ids: string[]) => new Map(ids.map((id) => [id, { name: 'Tea', price: new Decimal('4.5') }]));
    const large = testApp(database.url, { products: { find } });
    const items = Array.from({ length: 100 }, () => ({ productId: crypto.randomUUID(), quantity: 1 }));
    const { placeWith } = as(alice, large);
    const first = await placeWith('large', { items });
    expect(first.body.items).toHaveLength(100);
    expectReplayed(await placeWith('large', { items }), first);
    await large.close();
    const [row] = await order.prisma.idempotencyKey.findMany();
    expect(JSON.stringify(row).length).toBeLessThan(1_000);
    expect(JSON.parse(row?.body ?? '')).toEqual({ ...first.body, items: [] });
  });
});

describe('concurrent requests with one Idempotency-Key', () => {
  it.each([
    ['one replica', [customer]],
    ['two replicas', [customer, elsewhere]],
  ])('to %s create one order and one event', async (_name, replicas) => {
    const send = (index: number) => (replicas[index % replicas.length] ?? customer).placeWith('race');
    const responses = await Promise.all(Array.from({ length: 20 }, (_, index) => send(index)));
    const [first, ...more] = responses.filter(isFirst);
    if (first === undefined) throw new Error('None was placed.');
    expect(more).toEqual([]);
    for (const response of responses.filter((other) => other !== first)) {
      if (response.status !== 409) expectReplayed(response, first);
      else {
        expect(response.headers['retry-after']).toBe('1');
        expect(response.body.type).toBe('urn:problem:store:idempotency-key-in-use');
      }
    }
    for (const index of responses.keys()) expectReplayed(await send(index), first);
    expect(await rowCounts(order.prisma)).toEqual(oneOrder);
    expect(await eventsOf(order.prisma, first.body.id)).toEqual(['OrderCreated']);
  });

  it('that has expired create one order', async () => {
    await place('a');
    now = new Date(now.getTime() + dayMs + 1);
    const later = testApp(database.url, { clock: () => now });
    const replicas = [customer, as(alice, later)];
    const responses = await Promise.all(
      Array.from({ length: 20 }, (_, index) => (replicas[index % 2] ?? customer).placeWith('a')),
    );
    expect(responses.filter(isFirst)).toHaveLength(1);
    expect(await rowCounts(order.prisma)).toEqual({ orders: 2, items: 2, keys: 1, events: 2 });
    await later.close();
  });

  it('get 409 while the first is in flight, unlike those of other keys and accounts', async () => {
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

  it('is that of one account, case-sensitive, and without its quotes', async () => {
    const first = await place('"a-b"');
    expectReplayed(await place('a-b'), first);
    expectReplayed(await place('  "a-b" '), first);
    const others = [await as(bob, order).placeWith('a-b', oneSalt), await place('A-b', oneSalt)];
    expect(new Set([first, ...others].map(({ body }) => body.id)).size).toBe(3);
    expect(others[0]?.body.customerId).toBe(bob);
  });

  it('expires after 24 hours and not before', async () => {
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
    ['255 characters', 201, 'k'.repeat(255)],
    ['255 characters in quotes', 201, `"${'k'.repeat(255)}"`],
    ['every visible character', 201, String.fromCharCode(...Array.from({ length: 94 }, (_, index) => 33 + index))],
    ['a quote alone', 201, '"'],
    ['256 characters', 400, 'k'.repeat(256)],
    ['no characters', 400, ''],
    ['no characters in quotes', 400, '""'],
    ['a space', 400, 'a b'],
    ['a tab', 400, 'a\tb'],
    ['non-ASCII letters', 400, 'schlüssel'],
    ['two keys', 400, 'a, b'],
  ])('of %s returns %i', async (_name, expected, key) => {
    expect((await place(key)).status).toBe(expected);
    expect(await rowCounts(order.prisma)).toEqual(expected === 201 ? oneOrder : nothing);
  });

  it.each([
    ['an unknown product', { items: [{ productId: unknown, quantity: 1 }] }, 400],
    ["another account's customerId", { ...oneTea, customerId: bob }, 403],
    ['malformed JSON', '{', 400],
  ])('stays unused where the request has %s, and nothing is stored', async (_name, body, expected) => {
    expect((await place('a', body)).status).toBe(expected);
    expect(await rowCounts(order.prisma)).toEqual(nothing);
    expect((await place('a')).status).toBe(201);
  });
});
