import { readFile } from 'node:fs/promises';
import pg from 'pg';
import { testWithProc } from '../../../../tests/kit/linux.ts';
import { createTestDatabase, type TestDatabase } from '../../../../tests/kit/postgres/database.ts';
import { startService } from '../../../../tests/kit/service-process.ts';
import { orderQuery } from '../../src/schemas.ts';
import { alice, bob, testApp } from '../_app.ts';

let database: TestDatabase;
let client: pg.Client;
let order: Awaited<ReturnType<typeof startService>>;

beforeAll(async () => {
  database = await createTestDatabase('order');
  client = new pg.Client({ connectionString: database.url });
  await client.connect();
  await client.query(
    `with placed as (
       insert into orders (id, account_id, status, total_amount, currency, created_at, updated_at)
       select gen_random_uuid(), account::uuid, 'PENDING', 1250, 'USD', timestamptz '2026-01-01' + n * interval '1 s', now()
       from generate_series(1, 100) as n, unnest($1::text[]) as account
       returning id
     )
     insert into order_items (order_id, position, product_id, quantity, unit_price)
     select id, position, gen_random_uuid(), 1, 12.5 from placed, generate_series(1, 100) as position`,
    [[alice, bob]],
  );
  await client.query('vacuum (analyze) orders, order_items');
  order = await startService('services/order/src/main.ts', {
    DATABASE_URL: database.url,
    APP_PROFILE: 'prod',
    LOG_LEVEL: 'warn',
    AUTH_URL: 'http://127.0.0.1:1',
    PRODUCT_URL: 'http://127.0.0.1:1',
  });
  await order.ready();
});

afterAll(async () => {
  await order?.end('SIGKILL');
  await client.end();
  await database.drop();
});

const page = () => fetch(`${order.url}/orders?size=100`, { headers: { 'id-account': alice } });

/** CPU of the thread that has the event loop, in milliseconds. */
async function eventLoopMs(): Promise<number> {
  const { pid } = order.child;
  const [nanoseconds] = (await readFile(`/proc/${pid}/task/${pid}/schedstat`, 'utf8')).split(' ');
  return Number(nanoseconds) / 1e6;
}

const pages = 10;
/** Several times what it takes, and a third of what it took when the service made the JSON itself (123 ms). */
const maxMs = 40;

testWithProc('a page of 100 orders of 100 lines takes little of the event loop, which all accounts share', async () => {
  // Until V8 has compiled what is hot.
  for (let n = 0; n < pages; n += 1) await (await page()).arrayBuffer();
  const before = await eventLoopMs();
  for (let n = 0; n < pages; n += 1) {
    const { content } = (await (await page()).json()) as { content: { items: object[] }[] };
    expect([content.length, content[99]?.items.length]).toEqual([100, 100]);
  }
  const each = (await eventLoopMs()) - before;
  expect(each / pages).toBeLessThan(maxMs);
});

test('an account that asks for many pages at once does not keep the page of another one waiting', async () => {
  const { lists, close } = testApp(database.url);
  const read: string[] = [];
  const readPage = async (account: string) => {
    await lists.page(account, orderQuery.parse({ size: '10' }), new Date());
    read.push(account);
  };
  // In one tick, so that nothing is read before all have been asked for.
  await Promise.all([...Array.from({ length: 60 }, () => readPage(alice)), readPage(bob)]);
  await close();
  // After five that are read at once, one that waits, and those that overtake it.
  expect(read.indexOf(bob)).toBeLessThan(20);
});
