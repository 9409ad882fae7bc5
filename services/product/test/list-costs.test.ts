import { raw, sql } from '@store/shared/database/sql';
import { queryOnce, useDatabase } from '../../../tests/kit/postgres/database.ts';
import { blocksOf, explain } from '../../../tests/kit/postgres/plan.ts';
import { recordedStatement } from '../../../tests/kit/postgres/recorded-statement.ts';
import { until } from '../../../tests/kit/until.ts';
import { createProductRepository } from '../src/product-repository.ts';
import { productQuery } from '../src/schemas.ts';
import { tea, testApp } from './_app.ts';

describe('a search', () => {
  const database = useDatabase('product');
  const product = database.open(testApp);

  beforeAll(async () => {
    // Uses a connection without a statement time-out.
    await queryOnce(
      database.url,
      `insert into products (id, name, price, unit, created_at)
      select gen_random_uuid(),
             (array['Blue', 'Oak', 'Small', 'Round', 'Äußere'])[1 + n % 5] || ' ' ||
             (array['Lamp', 'Teapot', 'Kettle', 'Mirror'])[1 + n / 5 % 4] || ' ' || md5(n::text),
             1, 'piece', timestamptz '2026-01-01' + n * interval '1 s'
      from generate_series(1, 30000) as n`,
    );
    await queryOnce(database.url, 'vacuum analyze products');
  });

  /** Returns the statement that the service sends for a list. */
  const statementOf = (query: object) =>
    recordedStatement((database) => createProductRepository(database).list(productQuery.parse(query)));

  /** Returns the number of 8 KiB blocks that PostgreSQL reads for a list. */
  const blocksOfList = async (query: object) => blocksOf((await explain(product, await statementOf(query)))[0]);

  const blocksOfTable = async () => {
    const sql = `select (pg_relation_size('products') / 8192)::int as blocks`;
    return (await queryOnce<{ blocks: number }>(database.url, sql))[0]?.blocks ?? Number.NaN;
  };

  it.each([
    ['a rare text', 'c4ca4238a0'],
    ['a text that every fourth name has', 'lamp'],
    ['a text that no name has but whose parts all names have', 'lampteapot'],
    ['letters beyond ASCII', 'äußerst'],
    ['two letters at the beginning of a word', 'te'],
    ['a letter at the beginning of a fifth of the names', 'b'],
    ['a text that ends in an escape', 'zzz\\'],
  ])('for %s reads a fraction of the table', async (_, q) => {
    const blocks = await Promise.all(
      ['createdAt', 'createdAt,desc'].map((sort) => blocksOfList({ q, sort, size: '20' })),
    );
    expect(Math.max(...blocks)).toBeLessThan((await blocksOfTable()) / 4);
  });

  it('is planned for its text each time', async () => {
    // From the sixth execution on, PostgreSQL may plan a prepared statement for any text.
    for (let n = 0; n < 10; n += 1) await product.get('/products?q=lamp');
    const prepared = sql`
      select statement from pg_prepared_statements where statement like '%ilike%' and statement not like '%pg_prepared%'`;
    expect(await product.lists.run(prepared)).toEqual([]);
  });
});

describe('lists', () => {
  const database = useDatabase('product', 'each');
  const product = database.open(testApp);

  beforeEach(async () => {
    await product.post(tea);
    // Reading this row takes longer than a list may. Rows that are written later are read at once.
    await product.run(sql`alter table products rename to stored`);
    await product.run(sql`
      create view products as select * from stored where name <> ${raw(`'${tea.name}'`)} or pg_sleep(60) is not null`);
  });

  async function sleeping(): Promise<number> {
    const sql = `select from pg_stat_activity where datname = current_database() and wait_event = 'PgSleep'`;
    return (await queryOnce(database.url, sql)).length;
  }

  /** Requests a list from this many client addresses. */
  const listed = (count: number, query = '') =>
    Array.from({ length: count }, async (_, n) =>
      product.get(`/products?${query}size=${n + 1}`).set('x-envoy-external-address', `198.51.100.${n}`),
    );

  it('that take too long do not delay writes, and answer 503 after two seconds', async () => {
    const lists = listed(40, 'q=tea&');
    await until('lists occupy all connections they may have', async () => (await sleeping()) >= 5);
    // Few writes, so that even a slow machine finishes them before the lists time out.
    const written = await Promise.all(Array.from({ length: 3 }, () => product.post({ ...tea, name: 'Coffee' })));
    expect(written.map(({ status }) => status)).toEqual([201, 201, 201]);
    expect(await sleeping()).toBeGreaterThan(0);

    const retry = { status: 503, headers: { 'retry-after': '1' } };
    const away = { ...retry, body: { type: 'urn:problem:store:database-away' } };
    const answers = await Promise.all(lists);
    for (const list of answers) expect(list).toMatchObject(retry);
    expect(answers[0]).toMatchObject(away);
  });

  it('are refused at once if too many are waiting', async () => {
    const lists = listed(205);
    await until('lists occupy all connections they may have', async () => (await sleeping()) >= 5);
    const refused = { status: 503, headers: { 'retry-after': '1' }, body: { type: 'urn:problem:store:overloaded' } };
    expect(await product.get('/products')).toMatchObject(refused);
    await Promise.all(lists);
  });
});
