import type { KyselyPlugin } from 'kysely';
import request from 'supertest';
import { useDatabase } from '../../../../tests/kit/postgres/database.ts';
import { createOrderRecordRepository } from '../../src/order-record-repository.ts';
import { alice, bob, testApp } from '../_app.ts';

const path = '/internal/stuck-orders';
const database = useDatabase('order', 'each');
const order = database.open((url) => testApp(url));

/** Orders that are so many seconds old. */
const place = (status: string, ages: number[], accountId: string = alice) =>
  order.prisma.order.createManyAndReturn({
    data: ages.map((age) => {
      const at = new Date(Date.now() - age * 1_000);
      const common = { status, totalAmount: 1, currency: 'USD', createdAt: at, updatedAt: at };
      return { ...common, id: crypto.randomUUID(), accountId };
    }),
  });

const list = async (query = '') => (await request(order.app).get(`${path}${query}`).expect(200)).body;
const idsOf = ({ orders }: { orders: { id: string }[] }) => orders.map(({ id }) => id);

it('lists who is PENDING for too long, of all customers, the oldest first, and counts them', async () => {
  const [older, newer] = await place('PENDING', [500, 100]);
  const [between] = await place('PENDING', [200], bob);
  await place('PENDING', [5]);
  await place('CONFIRMED', [600]);
  await place('CANCELLED', [700]);
  const all = await list();
  expect(idsOf(all)).toEqual([older?.id, between?.id, newer?.id]);
  expect(all).toMatchObject({ total: 3, next: null, orders: [{ status: 'PENDING', customerId: alice }, {}, {}] });
  expect(await list('?seconds=150')).toMatchObject({ total: 2 });
  expect(await list('?seconds=1')).toMatchObject({ total: 4 });
});

it('goes on page by page, also where orders were placed at once', async () => {
  await place('PENDING', Array(7).fill(100));
  const whole = idsOf(await list());
  const paged: string[] = [];
  let after = '';
  for (let pages = 0; pages < 4; pages += 1) {
    const page = await list(`?size=2${after}`);
    expect(page.total).toBe(7);
    paged.push(...idsOf(page));
    after = `&after=${page.next}`;
  }
  expect(paged).toEqual(whole);
  await request(order.app).get(`${path}?after=forged`).expect(400);
});

it('reads a page, and counts, by the index of PENDING orders alone', async () => {
  await order.prisma.$executeRaw`
    insert into orders (id, account_id, status, total_amount, currency, created_at, updated_at)
    select gen_random_uuid(), ${alice}::uuid, case when n % 100 = 0 then 'PENDING' else 'CONFIRMED' end,
           1, 'USD', now() - n * interval '1 s', now() from generate_series(1, 20000) as n`;
  await order.prisma.$executeRaw`vacuum (analyze) orders`;
  const plans: string[] = [];
  const explained: KyselyPlugin = {
    transformQuery({ node, queryId }) {
      const { sql, parameters } = order.kysely.getExecutor().compileQuery(node, queryId);
      statements.push([sql, parameters]);
      return node;
    },
    transformResult: async ({ result }) => result,
  };
  const statements: [string, readonly unknown[]][] = [];
  const repository = createOrderRecordRepository({ lists: { kysely: order.kysely.withPlugin(explained) } } as never);
  const first = await repository.stuck(new Date(Date.now() - 60_000), { size: 50 });
  await repository.stuck(new Date(Date.now() - 60_000), { size: 50, after: first.next });
  for (const [text, parameters] of statements) {
    const rows = await order.prisma.$queryRawUnsafe<object[]>(`explain (analyze, format json) ${text}`, ...parameters);
    plans.push(JSON.stringify(rows));
  }
  expect(plans.length).toBeGreaterThanOrEqual(4);
  for (const plan of plans) {
    expect(plan).toContain('"Index Name":"orders_pending_idx"');
    expect(plan).not.toMatch(/Seq Scan|"Rows Removed by Filter":\d{3}/);
  }
});
