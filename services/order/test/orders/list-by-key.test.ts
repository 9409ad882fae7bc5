import { deferred } from '../../../../tests/kit/deferred.ts';
import { useDatabase } from '../../../../tests/kit/postgres/database.ts';
import { until } from '../../../../tests/kit/until.ts';
import { alice, as, bob, fakeProducts, rowCounts, testApp } from '../_app.ts';
import { whileHolding } from './_open-transaction.ts';

const products = fakeProducts();
let now = new Date();
const database = useDatabase('order');
const order = database.open((url) => testApp(url, { products, clock: () => now }));
const [customer, other] = [as(alice, order), as(bob, order)];

beforeEach(async () => {
  now = new Date();
  await order.empty();
});

const dayMs = 24 * 60 * 60 * 1000;
const idOf = async (key: string, { placeWith } = customer): Promise<string> => (await placeWith(key)).body.id;
const list = (query: Record<string, string>, { call } = customer) => call('get', '/orders').query(query);

async function expectListed(ids: string[], query: Record<string, string>, by = customer) {
  const { status, body, headers } = await list(query, by);
  expect(status).toBe(200);
  expect(body.content.map(({ id }: { id: string }) => id)).toEqual(ids);
  expect(body.page).toMatchObject({ totalElements: ids.length, totalPages: ids.length });
  expect(headers).not.toHaveProperty('link');
}

describe('GET /orders?idempotencyKey=', () => {
  it('lists the one order that was placed with the key, as it is now', async () => {
    const id = await idOf('a');
    await idOf('b');
    await expectListed([id], { idempotencyKey: 'a' });
    await customer.cancel(id).expect(201);
    expect((await list({ idempotencyKey: 'a' })).body.content[0].status).toBe('CANCELLED');
    await expectListed([], { idempotencyKey: 'c' });
    await expectListed([], { idempotencyKey: 'A' });
  });

  it('lists nothing of another account, though it has used the same key', async () => {
    const own = await idOf('a');
    await expectListed([], { idempotencyKey: 'a' }, other);
    const others = await idOf('a', other);
    await expectListed([own], { idempotencyKey: 'a' });
    await expectListed([others], { idempotencyKey: 'a' }, other);
    await expectListed([], { idempotencyKey: 'a', customerId: bob });
  });

  it.each([
    [{ status: 'PENDING' }, true],
    [{ status: 'CONFIRMED' }, false],
    [{ sort: 'total,asc' }, true],
    [{ customerId: alice }, true],
    [{ size: '1' }, true],
  ])('with %j', async (query, isListed) => {
    const id = await idOf('a');
    await idOf('b');
    await expectListed(isListed ? [id] : [], { ...query, idempotencyKey: 'a' });
  });

  it('knows a key for 24 hours, whatever deletes the expired', async () => {
    const id = await idOf('a');
    now = new Date(now.getTime() + dayMs);
    await expectListed([id], { idempotencyKey: 'a' });
    now = new Date(now.getTime() + 1);
    await expectListed([], { idempotencyKey: 'a' });
  });

  it('places nothing, lists nothing that is hidden, and nothing before it is stored', async () => {
    const { promise: released, resolve: release } = deferred();
    const before = products.asked.length;
    products.answer = () => released;
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
    ['no characters', 400, ''],
    ['255 characters', 200, 'k'.repeat(255)],
    ['256 characters', 400, 'k'.repeat(256)],
    ['a space', 400, 'a b'],
    ['non-ASCII letters', 400, 'schlüssel'],
    ['SQL', 200, `';drop/**/table/**/orders;--`],
  ])('of %s returns %i', async (_name, status, idempotencyKey) => {
    const response = await list({ idempotencyKey });
    expect(response.status).toBe(status);
    if (status === 400) expect(response.body.errors[0].path).toBe('query.idempotencyKey');
  });

  it('takes quotes as the header does, and one key only', async () => {
    const id = await idOf('"a"');
    await expectListed([id], { idempotencyKey: '"a"' });
    await expectListed([id], { idempotencyKey: 'a' });
    await customer.list('?idempotencyKey=a&idempotencyKey=b').expect(400);
  });
});

describe('deleteExpiredReplies', () => {
  it('deletes any number of Idempotency-Keys older than 24 hours', async () => {
    await idOf('young');
    await order.prisma.$executeRaw`
      insert into idempotency_keys (account_id, key, request_hash, location, body, created_at)
      select ${alice}::uuid, n::text, '', '', '', ${now}::timestamptz - interval '24 hours 1 ms'
      from generate_series(1, 12000) as n`;
    const first = await idOf('a');
    expect(await order.repository.deleteExpiredReplies(now)).toBe(12_000);
    expect(await order.repository.deleteExpiredReplies(now)).toBe(0);
    expect(await idOf('a')).toBe(first);
    expect((await rowCounts(order.prisma)).keys).toBe(2);
  });

  it('leaves an Idempotency-Key that is used again in the meantime', async () => {
    const createdAt = new Date(now.getTime() - dayMs - 1);
    const expired = { accountId: alice, key: 'a', requestHash: '', location: '', createdAt };
    await order.prisma.idempotencyKey.create({ data: expired });
    const waits = () => order.prisma.$queryRaw<unknown[]>`
      select from pg_stat_activity where datname = current_database() and wait_event_type = 'Lock'`;
    const useAgain = 'update idempotency_keys set created_at = $1';
    const deleting = await whileHolding(database.url, useAgain, [now], async () => {
      const deleted = order.repository.deleteExpiredReplies(now);
      await until('the deletion waits for the request', async () => (await waits()).length > 0);
      return { deleted };
    });
    expect(await deleting.deleted).toBe(0);
    expect((await rowCounts(order.prisma)).keys).toBe(1);
  });
});
