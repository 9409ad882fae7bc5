import { queryOnce, useDatabase } from '../../../tests/kit/postgres/database.ts';
import { until } from '../../../tests/kit/until.ts';
import { tea, testApp } from './_app.ts';

const database = useDatabase('product', 'each');
const product = database.open((url) => testApp(url));

beforeEach(async () => {
  await product.post(tea);
  // Reading a row takes longer than a list may, and writing one does not read it.
  await product.prisma.$executeRaw`alter table products rename to stored`;
  await product.prisma.$executeRaw`create view products as select * from stored where pg_sleep(60) is not null`;
});

async function sleeping(): Promise<number> {
  const sql = `select from pg_stat_activity where datname = current_database() and wait_event = 'PgSleep'`;
  return (await queryOnce(database.url, sql)).length;
}

it('lists that take too long keep no write waiting, and are 503 after two seconds', async () => {
  const lists = Array.from({ length: 40 }, (_, n) => product.get(`/products?q=tea&size=${n + 1}`).then((list) => list));
  await until('lists occupy all connections they may have', async () => (await sleeping()) >= 5);
  // Few, so that even a slow machine has written them before the lists are given up.
  const written = await Promise.all(Array.from({ length: 3 }, () => product.post(tea)));
  expect(written.map(({ status }) => status)).toEqual([201, 201, 201]);
  expect(await sleeping()).toBeGreaterThan(0);

  for (const { status, headers, body } of await Promise.all(lists)) {
    expect({ status, retryAfter: headers['retry-after'], type: body.type }).toEqual({
      status: 503,
      retryAfter: '1',
      type: 'urn:problem:store:database-away',
    });
  }
});

it('lists beyond those that may wait are refused at once', async () => {
  const lists = Array.from({ length: 205 }, (_, n) => product.get(`/products?size=${n + 1}`).then((list) => list));
  await until('lists occupy all connections they may have', async () => (await sleeping()) >= 5);
  const refused = await product.get('/products');
  expect(refused).toMatchObject({ status: 503, body: { type: 'urn:problem:store:overloaded' } });
  expect(refused.headers['retry-after']).toBe('1');
  await Promise.all(lists);
});
