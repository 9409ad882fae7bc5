import { useDatabase } from '../../../../tests/kit/postgres/database.ts';
import { createTcpProxy } from '../../../../tests/kit/tcp-proxy.ts';
import { until } from '../../../../tests/kit/until.ts';
import { alice, as, eventsOf, nothing, oneOrder, rowCounts, testApp } from '../_app.ts';

const database = useDatabase('order');
const order = database.open((url) => testApp(url, { expects: /no room/ }));
const customer = as(alice, order);

beforeAll(async () => {
  await order.prisma.$executeRaw`
    create function refuse() returns trigger language plpgsql as $$ begin raise exception 'no room'; end $$`;
});

beforeEach(() => order.empty());

/** Makes every transaction that writes to the table fail when it commits. */
async function withBroken<T>(table: string, work: () => Promise<T>): Promise<T> {
  await order.prisma.$executeRawUnsafe(
    `create constraint trigger broken after insert or update on ${table}
     deferrable initially deferred for each row execute function refuse()`,
  );
  try {
    return await work();
  } finally {
    await order.prisma.$executeRawUnsafe(`drop trigger broken on ${table}`);
  }
}

it.each(['orders', 'order_items', 'idempotency_keys', 'outbox'])(
  'stores nothing and leaves the Idempotency-Key unused if a write to %s fails',
  async (table) => {
    const response = await withBroken(table, () => customer.placeWith('a'));
    expect(response.status).toBe(500);
    expect(response.text).not.toContain('no room');
    expect(await rowCounts(order.prisma)).toEqual(nothing);
    // PostgreSQL reports the failure before it releases the lock of the key, so the key is in use for a moment.
    await until('the key is free', async () => (await customer.placeWith('a')).status === 201);
    expect(await rowCounts(order.prisma)).toEqual(oneOrder);
  },
);

it('a repeated request gets the reply of an order whose reply was lost after the commit', async () => {
  let isLost = false;
  const proxy = database.closeLater(
    await createTcpProxy(database.url, {
      onSend(bytes) {
        if (!isLost && bytes.includes('insert into orders')) void proxy.set('cut');
        isLost ||= bytes.includes('insert into orders');
        return false;
      },
    }),
  );
  const { placeWith } = as(alice, database.closeLater(testApp(proxy.url)));
  const lost = await placeWith('a');
  expect([lost.status, lost.headers['retry-after'], isLost]).toEqual([503, '1', true]);
  await proxy.set('pass');
  await until('the order has been committed', async () => (await rowCounts(order.prisma)).orders === 1);
  expect((await placeWith('a')).headers['idempotency-replayed']).toBe('true');
  expect(await rowCounts(order.prisma)).toEqual(oneOrder);
});

it.each(['orders', 'outbox'])('a cancellation changes nothing if a write to %s fails', async (table) => {
  const { body } = await customer.placeWith('a');
  const failed = await withBroken(table, async () => [await customer.cancel(body.id), await customer.remove(body.id)]);
  expect(failed.map(({ status }) => status)).toEqual([500, 500]);
  expect(await eventsOf(order.prisma, body.id)).toEqual(['OrderCreated']);
  expect((await customer.get(body.id)).body).toEqual(body);
  await customer.cancel(body.id).expect(201);
});
