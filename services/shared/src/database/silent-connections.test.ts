import { setTimeout as wait } from 'node:timers/promises';
import { sql } from 'kysely';
import { createTestDatabase, type TestDatabase } from '../../../../tests/kit/postgres/database.ts';
import { createTcpProxy } from '../../../../tests/kit/tcp-proxy.ts';
import { type Database, openDatabase } from './database.ts';

let server: TestDatabase;
let proxy: Awaited<ReturnType<typeof createTcpProxy>>;
let database: Database<never>;

beforeAll(async () => {
  server = await createTestDatabase('account');
  proxy = await createTcpProxy(server.url);
  database = openDatabase(proxy.url, 3);
});
afterAll(async () => {
  await database.close();
  await proxy.close();
  await server.drop();
});

const query = () => sql.raw('select 1').execute(database.kysely);
const inTransaction = () => database.kysely.transaction().execute((tx) => sql.raw('select 1').execute(tx));
const onListPool = () => sql.raw('select 1').execute(database.lists.kysely);
const check = () => database.checks.run(sql.raw('select 1').compile(database.kysely));

it('a connection that waits inside a transaction is left alone', async () => {
  await database.kysely.transaction().execute(async (tx) => {
    await sql.raw('select 1').execute(tx);
    await wait(12_500);
    await sql.raw('select 1').execute(tx);
  });
}, 30_000);

it.each([
  ['a query', () => query()],
  ['a transaction', inTransaction],
  ['a list', onListPool],
  ['a check', check],
])(
  '%s that gets no answer fails, and its connection is not used again',
  async (_, work) => {
    await work();
    await proxy.set('silent');
    await expect(work()).rejects.toThrow();
    await proxy.set('pass');
    for (let times = 0; times < 10; times += 1) await work();
  },
  60_000,
);
