import { type AddressInfo, connect, createServer, type Socket } from 'node:net';
import request from 'supertest';
import { createTestDatabase, type TestDatabase } from '../../../../tests/kit/database.ts';
import { alice, eventsOf, rowCounts, tea, testApp } from '../_app.ts';

let database: TestDatabase;
let order: ReturnType<typeof testApp>;

beforeAll(async () => {
  database = await createTestDatabase('order');
  order = testApp(database.url);
  await order.prisma.$executeRaw`
    create function refuse() returns trigger language plpgsql as $$ begin raise exception 'no room'; end $$`;
});

afterAll(async () => {
  await order.close();
  await database.drop();
});

beforeEach(() => order.prisma.$executeRaw`truncate orders, order_items, idempotency_keys, outbox`);

const place = (key: string, app = order.app) =>
  request(app)
    .post('/orders')
    .set({ 'id-account': alice, 'Idempotency-Key': key })
    .send({ items: [{ productId: tea, quantity: 1 }] });

const nothing = { orders: 0, items: 0, keys: 0, events: 0 };
const oneOrder = { orders: 1, items: 1, keys: 1, events: 1 };

/** A failure at the last moment: when the transaction commits. */
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
  'an order whose %s cannot be stored is not stored at all, and its key stays free',
  async (table) => {
    const response = await withBroken(table, async () => place('a'));
    expect(response.status).toBe(500);
    expect(response.text).not.toContain('no room');
    expect(await rowCounts(order.prisma)).toEqual(nothing);
    await place('a').expect(201);
    expect(await rowCounts(order.prisma)).toEqual(oneOrder);
  },
);

it.each(['orders', 'outbox'])('a cancellation whose %s cannot be stored changes nothing', async (table) => {
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

/** A way to the database on which the answer to one statement is lost: the connection breaks instead. */
async function lossyWay(url: string, statement: string) {
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
  const way = new URL(url);
  way.hostname = '127.0.0.1';
  way.port = String((server.address() as AddressInfo).port);
  return {
    url: way.href,
    hasLost: () => hasLost,
    close: () => {
      for (const socket of sockets) socket.destroy();
      return new Promise((resolve) => server.close(resolve));
    },
  };
}

it('a reply that is lost after the commit is given to the repeat, and there is one order', async () => {
  const way = await lossyWay(database.url, 'insert into orders');
  const behind = testApp(way.url);
  const lost = await place('a', behind.app);
  expect(lost.status).toBe(503);
  expect(lost.headers['retry-after']).toBe('1');
  expect(way.hasLost()).toBe(true);
  expect(await rowCounts(order.prisma)).toEqual(oneOrder);
  const repeated = await place('a', behind.app);
  expect(repeated.status).toBe(201);
  expect(repeated.headers['idempotency-replayed']).toBe('true');
  expect(await rowCounts(order.prisma)).toEqual(oneOrder);
  await behind.close();
  await way.close();
});
