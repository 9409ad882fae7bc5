import pg from 'pg';
import { queryOnce, useDatabase } from '../../../../tests/kit/postgres/database.ts';
import { tea, testApp } from '../_app.ts';

const database = useDatabase('product');
const product = database.open(testApp);
const clients: pg.Client[] = [];

beforeEach(async () => {
  await queryOnce(database.url, 'truncate products');
  await product.post(tea);
});

afterEach(() => Promise.all(clients.splice(0).map((client) => client.end())));

async function connect(): Promise<pg.Client> {
  const client = new pg.Client({ connectionString: database.url });
  clients.push(client);
  await client.connect();
  return client;
}

const version = () => product.repository.currentVersion();
const insert = `insert into products (id, name, price, unit) values (gen_random_uuid(), 'Coffee', 2, 'kg')`;

/** The names on the first page, which is cached from the second call on. */
const listed = async () => (await product.get('/products')).body.map(({ name }: { name: string }) => name);

describe('the version of the catalogue', () => {
  it.each([
    insert,
    `update products set price = price + 1`,
    `delete from products`,
    `truncate products`,
    `merge into products using (values (1)) as one on false when not matched then insert values (gen_random_uuid(), 'Coffee', 2, 'kg')`,
    `set session_replication_role = replica; ${insert}`,
    `set search_path = ''; ${insert.replace('products', 'public.products')}`,
  ])('changes after %s', async (statement) => {
    const before = await version();
    await queryOnce(database.url, statement);
    expect(await version()).not.toBe(before);
  });

  it('does not change after a read', async () => {
    const before = await version();
    await listed();
    await queryOnce(database.url, 'select from products for update');
    expect(await version()).toBe(before);
  });

  it('changes after each of many concurrent writers, and none waits for another', async () => {
    const writers = await Promise.all(Array.from({ length: 5 }, connect));
    for (const writer of writers) await writer.query(`set lock_timeout = '1s'; begin; ${insert}`);
    const versions = [await version()];
    for (const writer of writers) {
      await writer.query('commit');
      versions.push(await version());
    }
    expect(new Set(versions).size).toBe(6);
  });

  it('does not grow with successive writers or with the statements of one transaction', async () => {
    await queryOnce(database.url, insert);
    const { length } = await version();
    for (let n = 0; n < 10; n += 1) await queryOnce(database.url, insert);
    await queryOnce(database.url, `begin; ${`${insert};`.repeat(10)} commit`);
    expect(await version()).toHaveLength(length);
  });
});

describe('a write', () => {
  beforeEach(async () => {
    for (const _ of [1, 2, 3]) expect(await listed()).toEqual(['Tea']);
  });

  it('is visible only after its transaction has committed', async () => {
    const writer = await connect();
    for (const names of [['Tea'], ['Tea', 'Coffee']]) {
      await writer.query(`begin; ${insert}`);
      expect(await listed()).toEqual(names);
      await writer.query('commit');
      expect(await listed()).toEqual([...names, 'Coffee']);
    }
  });

  it.each([
    ['that is rolled back is not', `begin; ${insert}; rollback`, ['Tea']],
    [
      'after a rollback to a savepoint is',
      `begin; savepoint one; delete from products; rollback to one; ${insert}; commit`,
      ['Tea', 'Coffee'],
    ],
    ['in a released savepoint is', `begin; savepoint one; ${insert}; release one; commit`, ['Tea', 'Coffee']],
    ['of all rows by TRUNCATE is', 'truncate products', []],
  ])('%s visible', async (_, statements, names) => {
    await queryOnce(database.url, statements);
    expect(await listed()).toEqual(names);
  });
});
