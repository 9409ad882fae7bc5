import request from 'supertest';
import { useDatabase } from '../../../../tests/kit/postgres/database.ts';
import { until } from '../../../../tests/kit/until.ts';
import { alice, rowCounts, tea, testApp } from '../_app.ts';
import { whileHolding } from './_open-transaction.ts';

const database = useDatabase('order');
const order = database.open(testApp);
const now = new Date();

beforeEach(async () => {
  await order.prisma.$executeRaw`truncate orders, order_items, idempotency_keys, outbox`;
});

const place = (key: string) =>
  request(order.app)
    .post('/orders')
    .set({ 'id-account': alice, 'idempotency-key': key })
    .send({ items: [{ productId: tea, quantity: 1 }] });

test('deleteExpiredReplies deletes any number of Idempotency-Keys older than 24 hours', async () => {
  await place('young');
  await order.prisma.$executeRaw`
    insert into idempotency_keys (account_id, key, request_hash, location, body, created_at)
    select ${alice}::uuid, n::text, '', '', '', ${now}::timestamptz - interval '24 hours 1 ms'
    from generate_series(1, 12000) as n`;
  const first = await place('a');
  expect(await order.repository.deleteExpiredReplies(now)).toBe(12_000);
  expect(await order.repository.deleteExpiredReplies(now)).toBe(0);
  expect((await place('a')).text).toBe(first.text);
  expect((await rowCounts(order.prisma)).keys).toBe(2);
});

test('deleteExpiredReplies leaves an Idempotency-Key that is used again in the meantime', async () => {
  await order.prisma.idempotencyKey.create({
    data: {
      accountId: alice,
      key: 'a',
      requestHash: '',
      location: '',
      createdAt: new Date(now.getTime() - 90_000_000),
    },
  });
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
