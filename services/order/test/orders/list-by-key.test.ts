import { dayMs } from '@store/shared/values/time';
import { useDatabase } from '../../../../tests/kit/postgres/database.ts';
import { blockedBy } from '../../../../tests/kit/postgres/transaction.ts';
import { until } from '../../../../tests/kit/until.ts';
import { alice, as, bob, fakeProducts, rowCounts, testApp } from '../_app.ts';

const products = fakeProducts();
let now = new Date();
const database = useDatabase('order');
const order = database.open((url) => testApp(url, { products, clock: () => now }));
const [customer, other] = [as(alice, order), as(bob, order)];

beforeEach(async () => {
  now = new Date();
  await order.empty();
});

const idOf = async (key: string, { placeWith } = customer): Promise<string> => (await placeWith(key)).body.id;
const list = (query: Record<string, string>, { call } = customer) => call('get', '/orders').query(query);

async function expectListed(ids: string[], query: Record<string, string>, by = customer) {
  const { body, headers } = await list(query, by).expect(200);
  expect(body.content.map(({ id }: { id: string }) => id)).toEqual(ids);
  expect(body.page).toMatchObject({ totalElements: ids.length, totalPages: ids.length });
  expect(headers).not.toHaveProperty('link');
}

describe('GET /orders?idempotencyKey=', () => {
  it('lists the order that the account placed with the key, in its current state', async () => {
    const id = await idOf('"a"');
    await idOf('b');
    for (const idempotencyKey of ['a', '"a"']) await expectListed([id], { idempotencyKey });
    await customer.cancel(id).expect(201);
    expect((await list({ idempotencyKey: 'a' })).body.content[0].status).toBe('CANCELLED');
    for (const idempotencyKey of ['c', 'A']) await expectListed([], { idempotencyKey });

    await expectListed([], { idempotencyKey: 'a' }, other);
    const others = await idOf('a', other);
    await expectListed([id], { idempotencyKey: 'a' });
    await expectListed([others], { idempotencyKey: 'a' }, other);
    await expectListed([], { idempotencyKey: 'a', customerId: bob });
  });

  it('can be combined with the other parameters', async () => {
    const id = await idOf('a');
    await idOf('b');
    const queries: Record<string, string>[] = [{ status: 'PENDING' }, { sort: 'total,asc' }, { customerId: alice }];
    for (const query of queries) await expectListed([id], { ...query, idempotencyKey: 'a' });
    await expectListed([], { status: 'CONFIRMED', idempotencyKey: 'a' });
  });

  it('finds a key for 24 hours, even if expired keys are still stored', async () => {
    const id = await idOf('a');
    now = new Date(now.getTime() + dayMs);
    await expectListed([id], { idempotencyKey: 'a' });
    now = new Date(now.getTime() + 1);
    await expectListed([], { idempotencyKey: 'a' });
  });

  it('places no order, and lists no hidden order and no order that is not stored yet', async () => {
    const { promise: released, resolve: release } = Promise.withResolvers<void>();
    products.answer = () => released;
    const before = products.asked.length;
    const placing = idOf('slow');
    await until('the request asks for prices', () => products.asked.length > before);
    await expectListed([], { idempotencyKey: 'slow' });
    products.answer = async () => undefined;
    release();
    const id = await placing;
    await expectListed([id], { idempotencyKey: 'slow' });
    await customer.remove(id).expect(204);
    await expectListed([], { idempotencyKey: 'slow' });
    expect(await order.prisma.order.count()).toBe(1);
  });

  it.each([
    ['', 400],
    ['k'.repeat(255), 200],
    ['k'.repeat(256), 400],
    ['a b', 400],
    ['schlüssel', 400],
    [`';drop/**/table/**/orders;--`, 200],
  ])('of %j is %i', async (idempotencyKey, status) => {
    await list({ idempotencyKey }).expect(status);
  });
});

describe('deleteExpired', () => {
  it('deletes any number of Idempotency-Keys older than 24 hours, and no younger keys', async () => {
    const young = await idOf('young');
    await order.prisma.$executeRaw`
      update idempotency_keys set created_at = created_at - interval '23 hours 59 minutes'`;
    await order.prisma.$executeRaw`
      insert into idempotency_keys (account_id, key, request_hash, location, body, created_at)
      select ${alice}::uuid, n::text, '', '', '', ${now}::timestamptz - interval '24 hours 1 ms'
      from generate_series(1, 12000) as n`;
    expect(await order.keys.deleteExpired(now)).toBe(12_000);
    expect(await idOf('young')).toBe(young);
    expect((await rowCounts(order.prisma)).keys).toBe(1);
  });

  it('keeps an Idempotency-Key that is reused in the meantime', async () => {
    const createdAt = new Date(now.getTime() - dayMs - 1);
    const expired = { accountId: alice, key: 'a', requestHash: '', location: '', createdAt };
    await order.prisma.idempotencyKey.create({ data: expired });
    const useAgain = 'update idempotency_keys set created_at = $1';
    const deletion = () => order.keys.deleteExpired(now);
    expect(await blockedBy(database.url, useAgain, [now], 1, deletion)).toBe(0);
    expect((await rowCounts(order.prisma)).keys).toBe(1);
  });
});
