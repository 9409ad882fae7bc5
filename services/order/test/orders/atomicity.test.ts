import { type AddressInfo, connect, createServer, type Socket } from 'node:net';
import request from 'supertest';
import { useDatabase } from '../../../../tests/kit/postgres/database.ts';
import { until } from '../../../../tests/kit/until.ts';
import { alice, eventsOf, rowCounts, tea, testApp } from '../_app.ts';

const database = useDatabase('order');
const order = database.open((url) => testApp(url, { expects: /no room/ }));

beforeAll(async () => {
  await order.prisma.$executeRaw`
    create function refuse() returns trigger language plpgsql as $$ begin raise exception 'no room'; end $$`;
});

beforeEach(() => order.prisma.$executeRaw`truncate orders, order_items, idempotency_keys, outbox`);

const place = (key: string, app = order.app) =>
  request(app)
    .post('/orders')
    .set({ 'id-account': alice, 'Idempotency-Key': key })
    .send({ items: [{ productId: tea, quantity: 1 }] });

const nothing = { orders: 0, items: 0, keys: 0, events: 0 };
const oneOrder = { orders: 1, items: 1, keys: 1, events: 1 };

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

test.each(['orders', 'order_items', 'idempotency_keys', 'outbox'])(
  'POST /orders stores nothing and leaves the Idempotency-Key unused when a write to %s fails',
  async (table) => {
    const response = await withBroken(table, async () => place('a'));
    expect(response.status).toBe(500);
    expect(response.text).not.toContain('no room');
    expect(await rowCounts(order.prisma)).toEqual(nothing);
    // PostgreSQL says that it has failed before it lets go of the lock of the key: until then it is in use.
    await until('the key is free', async () => {
      const { status } = await place('a');
      if (status !== 409) expect(status).toBe(201);
      return status === 201;
    });
    expect(await rowCounts(order.prisma)).toEqual(oneOrder);
  },
);

test.each(['orders', 'outbox'])('a cancellation changes nothing when a write to %s fails', async (table) => {
  const { body } = await place('a');
  const cancel = () => request(order.app).post(`/orders/${body.id}/cancellation`).set('id-account', alice);
  const remove = () => request(order.app).delete(`/orders/${body.id}`).set('id-account', alice);
  const [cancelled, removed] = await withBroken(table, async () => [await cancel(), await remove()] as const);
  expect([cancelled.status, removed.status]).toEqual([500, 500]);
  expect(await eventsOf(order.prisma, body.id)).toEqual(['OrderCreated']);
  const { text } = await request(order.app).get(`/orders/${body.id}`).set('id-account', alice);
  expect(JSON.parse(text)).toEqual(body);
  await cancel().expect(201);
});

/** A TCP proxy to the database that closes the connection instead of forwarding the response to the statement, once. */
async function lossyProxy(url: string, statement: string) {
  const target = new URL(url);
  const sockets = new Set<Socket>();
  let hasLost = false;
  const server = createServer((client) => {
    const upstream = connect(Number(target.port), target.hostname);
    let loses = false;
    for (const socket of [client, upstream]) {
      sockets.add(socket);
      socket.on('error', () => undefined);
      socket.on('close', () => {
        client.destroy();
        upstream.destroy();
      });
    }
    client.on('data', (chunk) => {
      loses = !hasLost && chunk.includes(statement);
      upstream.write(chunk);
    });
    upstream.on('data', (chunk) => {
      hasLost ||= loses;
      if (loses) client.destroy();
      else client.write(chunk);
    });
  });
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  const proxied = new URL(url);
  proxied.hostname = '127.0.0.1';
  proxied.port = String((server.address() as AddressInfo).port);
  return {
    url: proxied.href,
    hasLost: () => hasLost,
    close: () => {
      for (const socket of sockets) socket.destroy();
      return new Promise((resolve) => server.close(resolve));
    },
  };
}

test('a repeated POST /orders gets the stored reply when the first was lost after the commit', async () => {
  const proxy = await lossyProxy(database.url, 'insert into orders');
  const proxied = testApp(proxy.url);
  const lost = await place('a', proxied.app);
  expect(lost.status).toBe(503);
  expect(lost.headers['retry-after']).toBe('1');
  expect(proxy.hasLost()).toBe(true);
  expect(await rowCounts(order.prisma)).toEqual(oneOrder);
  const repeated = await place('a', proxied.app);
  expect(repeated.status).toBe(201);
  expect(repeated.headers['idempotency-replayed']).toBe('true');
  expect(await rowCounts(order.prisma)).toEqual(oneOrder);
  await proxied.close();
  await proxy.close();
});
