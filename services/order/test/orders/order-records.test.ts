import { randomUUID } from 'node:crypto';
import { eventsOf } from '@store/shared/messaging/outbox/events-of';
import { register } from 'prom-client';
import request from 'supertest';
import { newCredential } from '../../../../tests/kit/credentials.ts';
import { queryOnce, useDatabase } from '../../../../tests/kit/postgres/database.ts';
import { blocksOf, explain } from '../../../../tests/kit/postgres/plan.ts';
import { recordedStatement, recordedStatements } from '../../../../tests/kit/postgres/recorded-statement.ts';
import { until } from '../../../../tests/kit/until.ts';
import { createOrderRecordRepository } from '../../src/records/order-record-repository.ts';
import { alice, as, bob, tea, testApp } from '../_app.ts';
import { placing } from '../live/_streams.ts';

const database = useDatabase('order');
const order = database.open(testApp);
const customer = as(alice, order);

const env = {
  INTERNAL_CREDENTIAL: newCredential(),
  INTERNAL_CREDENTIALS: newCredential(),
  OPERATOR_CREDENTIALS: newCredential(),
  MAILER_CREDENTIALS: newCredential(),
};
const restricted = database.open((url) => testApp(url, { env }));

const get = async (path: string) => (await request(order.app).get(`/internal${path}`).expect(200)).body;
const idsOf = (orders: { id: string }[]) => orders.map(({ id }) => id);

describe('order records', () => {
  it('show an order with its waiting and published events, even after its owner deleted it', async () => {
    const id = await customer.placed();
    await order.prisma.outbox.updateMany({ where: { key: id }, data: { sentAt: new Date() } });
    await customer.remove(id).expect(204);
    const record = await get(`/orders/${id}`);
    expect(record).toMatchObject({
      id,
      status: 'CANCELLED',
      cancelReason: expect.any(String),
      deletedAt: expect.any(String),
      events: [
        { kind: 'OrderCreated', sentAt: expect.any(String) },
        { kind: 'OrderCancelled', sentAt: null },
      ],
    });
    expect(JSON.parse(record.events[0].payload)).toMatchObject({ orderId: id, customerId: alice });
  });

  it('record in the audit trail, once an hour, which operator looked at an order or at the orders of an account', async () => {
    const id = await customer.placed();
    const look = (path: string) => request(order.app).get(`/internal${path}`).set('operator-name', 'ann').expect(200);
    for (let times = 0; times < 2; times += 1) await look(`/orders/${id}`);
    await look(`/orders?accountId=${alice}`);
    const looks = await queryOnce(
      database.url,
      `select subject, after->>'at' as at from audit where kind = 'look' and actor = 'operator ann' order by id`,
    );
    expect(looks).toEqual([
      { subject: id, at: 'order' },
      { subject: alice, at: 'orders' },
    ]);
  });

  it('return all orders of a customer page by page for the account export, including deleted orders', async () => {
    const accountId = randomUUID();
    const own = as(accountId, order);
    await queryOnce(database.url, placing(accountId, 149, 3));
    const deleted = await own.placed();
    await own.remove(deleted).expect(204);
    const read = async (after = '') =>
      (await request(order.app).get(`/internal/account-data${after}`).set('id-account', accountId).expect(200)).body;
    const first = await read();
    const second = await read(`?after=${first.next}`);
    expect([first.records.length, second.records.length, second.next]).toEqual([100, 50, null]);
    expect(new Set(idsOf([...first.records, ...second.records])).size).toBe(150);
    expect(second.records.at(-1)).toMatchObject({ id: deleted, customerId: accountId, deletedAt: expect.any(String) });
  });

  it('tell inventory and payment the demands and lines of known orders, and reject their credential on other paths', async () => {
    const ids = [await customer.placed(), await customer.placed()];
    const ask = (path: string, credential: string) =>
      request(restricted.app).get(`/internal${path}`).set('authorization', `Bearer ${credential}`);
    const path = `/order-demands?id=${ids.join('&id=')}&id=${randomUUID()}`;
    const { body } = await ask(path, env.INTERNAL_CREDENTIALS).expect(200);
    const demand = { items: [{ productId: tea, quantity: 1 }], total: { amount: 4.5, currency: 'USD' } };
    expect(body).toHaveLength(2);
    expect(body).toEqual(expect.arrayContaining(ids.map((orderId) => ({ orderId, ...demand }))));
    const lines = await ask(`/orders/${ids[0]}/lines`, env.INTERNAL_CREDENTIALS).expect(200);
    const unitPrice = { amount: 4.5, currency: 'USD' };
    expect(lines.body).toEqual({
      items: [{ productId: tea, name: expect.any(String), sku: null, quantity: 1, unitPrice }],
    });
    await ask(path, env.OPERATOR_CREDENTIALS).expect(403);
    await ask(`/orders/${ids[0]}`, env.INTERNAL_CREDENTIALS).expect(403);
    await ask(`/orders/${ids[0]}`, env.OPERATOR_CREDENTIALS).expect(200);
  });

  it('tell payment which of its orders were shipped, and when', async () => {
    const [shipped, other] = [await customer.placed(), await customer.placed()];
    const at = '2026-01-02T03:04:05.678Z';
    await queryOnce(
      database.url,
      `update orders set status = 'CONFIRMED', shipped_at = '${at}', deleted_at = '${at}' where id = '${shipped}'`,
    );
    const path = `/internal/shipped-orders?id=${shipped}&id=${other}&id=${randomUUID()}`;
    const ask = (credential: string) => request(restricted.app).get(path).set('authorization', `Bearer ${credential}`);
    const { body } = await ask(env.INTERNAL_CREDENTIALS).expect(200);
    expect(body).toEqual([{ orderId: shipped, shippedAt: at }]);
    await ask(env.OPERATOR_CREDENTIALS).expect(403);
  });

  it.each(Object.keys(env))('are not served with %s alone, because the other paths would be open', (name) => {
    expect(() => testApp(database.url, { env: { [name]: newCredential() } })).toThrow('set all of them, or none');
  });

  it('list the orders of one account only, newest first', async () => {
    const accountId = randomUUID();
    const { placed } = as(accountId, order);
    const [first, second] = [await placed(), await placed()];
    await customer.placed();
    expect(idsOf(await get(`/orders?accountId=${accountId}`))).toEqual([second, first]);
  });
});

describe('stuck orders', () => {
  beforeEach(() => order.empty());

  /** Places orders that are `ages` seconds old. */
  const place = async (status: string, ages: number[], accountId: string = alice) =>
    idsOf(
      await order.prisma.order.createManyAndReturn({
        data: ages.map((age) => {
          const createdAt = new Date(Date.now() - age * 1_000);
          const id = randomUUID();
          return { id, accountId, status, totalAmount: 1, currency: 'USD', createdAt, updatedAt: createdAt };
        }),
      }),
    );
  const list = (query = '') => get(`/stuck-orders${query}`);

  it('are orders of all customers that are PENDING for too long, oldest first, with their number', async () => {
    const [older, newer] = await place('PENDING', [500, 100]);
    const [between] = await place('PENDING', [200], bob);
    await place('PENDING', [5]);
    await place('CONFIRMED', [600]);
    await place('CANCELLED', [700]);
    const all = await list();
    expect(idsOf(all.orders)).toEqual([older, between, newer]);
    expect(all).toMatchObject({ total: 3, next: null, orders: [{ status: 'PENDING', customerId: alice }, {}, {}] });
    expect(await list('?seconds=150')).toMatchObject({ total: 2 });
    expect(await list('?seconds=1')).toMatchObject({ total: 4 });
  });

  it('are exported as a metric for the alert StoreOrdersStuck, counted as in the console', async () => {
    /** Runs the jobs of the service until the metric has the value. */
    const untilExported = async (count: number) => {
      const jobs = order.jobs?.map((job) => job.start(order.log)) ?? [];
      const exported = async () => (await register.getSingleMetric('orders_stuck')?.get())?.values[0]?.value;
      await until(`${count} are exported`, async () => (await exported()) === count);
      for (const job of jobs) await job.stop();
    };
    const [oldest] = await place('PENDING', [500, 61, 59]);
    await place('CONFIRMED', [600]);
    await untilExported(2);
    expect(await list()).toMatchObject({ total: 2 });
    await order.prisma.order.update({ where: { id: oldest ?? '' }, data: { status: 'CONFIRMED' } });
    await untilExported(1);
  });

  it('are read page by page, even if they were placed at the same time', async () => {
    await place('PENDING', Array(7).fill(100));
    const whole = idsOf((await list()).orders);
    const paged: string[] = [];
    let after = '';
    for (let pages = 0; pages < 4; pages += 1) {
      const page = await list(`?size=2${after}`);
      expect(page.total).toBe(7);
      paged.push(...idsOf(page.orders));
      after = `&after=${page.next}`;
    }
    expect(paged).toEqual(whole);
    await request(order.app).get('/internal/stuck-orders?after=forged').expect(400);
  });

  it('are read and counted only by the index of PENDING orders', async () => {
    await order.prisma.$executeRaw`
      insert into orders (id, account_id, status, total_amount, currency, created_at, updated_at)
      select gen_random_uuid(), ${alice}::uuid, case when n % 100 = 0 then 'PENDING' else 'CONFIRMED' end,
             1, 'USD', now() - n * interval '1 s', now() from generate_series(1, 20000) as n`;
    await order.prisma.$executeRaw`vacuum (analyze) orders`;
    const { next } = await list('?size=50');
    const statements = await recordedStatements(async (recording) => {
      const { stuck } = createOrderRecordRepository(recording);
      const pages = [undefined, next].map((after) => stuck(new Date(Date.now() - 60_000), { size: 50, after }));
      await Promise.allSettled(pages);
    });
    expect(statements).toHaveLength(4);
    for (const statement of statements) {
      const nodes = await explain(order.database, statement);
      expect(nodes.map((node) => node['Index Name'])).toContain('orders_pending_idx');
      for (const node of nodes) {
        expect(node['Node Type']).not.toBe('Seq Scan');
        expect(node['Rows Removed by Filter'] ?? 0).toBeLessThan(100);
      }
    }
  });
});

// The outbox has the same indexes in each database: see the tables of messaging in services/shared.
it('finds the events of an order, even if they were published late, without reading events of others', async () => {
  const key = randomUUID();
  const into = 'insert into outbox (id, kind, key, payload, created_at, sent_at)';
  // The events of a busy hour: published events, and a backlog.
  const others = `${into} select gen_random_uuid(), 'OrderCreated', gen_random_uuid()::text, '{}', now(),
    case when n <= 30000 then now() end from generate_series(1, 40000) as n`;
  const own = `${into} values (gen_random_uuid(), 'OrderCreated', '${key}', '{}', now(), null),
    (gen_random_uuid(), 'OrderCancelled', '${key}', '{}', now(), now() + interval '2 hours')`;
  for (const sql of [others, 'vacuum (analyze) outbox', own]) await queryOnce(database.url, sql);
  expect((await eventsOf(order.database, key)).map(({ kind }) => kind)).toEqual(['OrderCreated', 'OrderCancelled']);
  const nodes = await explain(order.database, await recordedStatement((recording) => eventsOf(recording, key)));
  for (const node of nodes) expect(node['Rows Removed by Filter'] ?? 0).toBe(0);
  // Blocks of the index and of the table.
  expect(blocksOf(nodes[0])).toBeLessThanOrEqual(20);
});
