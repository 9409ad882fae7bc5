import { setTimeout as pause } from 'node:timers/promises';
import { openAnyDatabase } from '../../../tests/kit/postgres/open-database.ts';
import { until } from '../../../tests/kit/until.ts';
import { createPool } from '../src/database/connection.ts';
import { sql } from '../src/database/sql.ts';
import { startExternalPostgres } from './_external-postgres.ts';
import { killAll, start } from './_service.ts';

// A PostgreSQL outside the store, with a certificate of a private CA.

let postgres: Awaited<ReturnType<typeof startExternalPostgres>>;
beforeAll(async () => {
  postgres = await startExternalPostgres();
});
afterAll(() => postgres.stop());
afterEach(killAll);

it.each(['localhost', '[::1]'])(
  'a service that trusts the CA is ready, and its connections are secure: %s',
  async (host) => {
    const DATABASE_URL = await postgres.writeUrl(postgres.url(host));
    const service = await start({ DATABASE_URL });
    await service.logged('Ready');
    expect(await service.readiness()).toEqual({ code: 200, status: 'UP' });
    const insecure = `select from pg_stat_ssl join pg_stat_activity using (pid) where usename = 'store' and not ssl`;
    expect(await postgres.sql(insecure)).toEqual([]);
  },
);

it.each([
  ['another CA', 'localhost', undefined, /: its certificate is not signed by the CA that is trusted here \(unable/],
  ['another host name', '127.0.0.1', undefined, /does not match certificate's altnames: IP: 127\.0\.0\.1/],
  ['another password', 'localhost', 'wrong-one', /: password authentication failed for user "store"$/],
])('a service with %s waits, is not ready, and logs why', async (what, host, password, why) => {
  const url = postgres.url(host, 'store', password);
  const ca = what === 'another CA' ? postgres.otherCaFile : postgres.caFile;
  const service = await start({ DATABASE_URL: await postgres.writeUrl(url, ca) });
  const { reason } = await service.logged('Waiting for the database');
  expect(reason).toMatch(why);
  expect(reason).toContain(`PostgreSQL at ${new URL(url).host}: `);
  expect(await service.readiness()).toEqual({ code: 503, status: 'DOWN', waitingFor: ['starting', 'database'] });
  expect(service.output.join()).not.toContain(new URL(url).password);
});

it('a service takes the login from the file and the address from its path, and logs why a file is invalid', async () => {
  const service = await start({ DATABASE_URL: await postgres.writeLogin('store:first-password') });
  await service.logged('Ready');
  expect(await service.readiness()).toEqual({ code: 200, status: 'UP' });
  const other = await start({ DATABASE_URL: await postgres.writeLogin('store:first password@elsewhere') });
  const { reason } = await other.logged('Waiting for the database');
  expect(reason).toMatch(/^The file \S+ holds no role:password$/);
});

it('a service that starts before its role and its database exist waits for both', async () => {
  const url = postgres.url('localhost', 'late', 'late-password').replace(/store$/, 'late');
  const service = await start({ DATABASE_URL: await postgres.writeUrl(url) });
  for (const [missing, statement] of [
    ['password authentication failed for user "late"', "create role late login password 'late-password'"],
    ['database "late" does not exist', 'create database late owner late'],
  ] as const) {
    await until(
      `it waits: ${missing}`,
      async () => service.output.at(-1)?.includes(JSON.stringify(missing).slice(1, -1)) === true,
    );
    await postgres.sql(statement);
  }
  await service.logged('Ready');
  expect(await service.readiness()).toEqual({ code: 200, status: 'UP' });
});

it('new connections use another role when the URL changes, and no statement fails', async () => {
  const database = openAnyDatabase(await postgres.writeUrl(postgres.url('localhost')));
  const failures: unknown[] = [];
  let isChanging = true;
  const statement = () => database.run(sql`select pg_sleep(0.01)`);
  const ask = async () => {
    while (isChanging) await statement().catch((error) => failures.push(error));
  };
  await Promise.all([statement(), statement()]); // opens two connections while the first role may still log in
  const askers = [ask(), ask()];
  await postgres.sql("create role second login password 'other' in role store");
  await postgres.sql('alter role second set role store');
  await postgres.writeUrl(postgres.url('localhost', 'second', 'other'));
  await postgres.sql('alter role store nologin');
  askers.push(...Array.from({ length: 8 }, ask));
  await pause(1_000);
  isChanging = false;
  await Promise.all(askers);
  const roles = await postgres.sql(
    "select usename::text, count(*)::int from pg_stat_activity where datname = 'store' group by 1 order by 1",
  );
  const rows = await database.run(sql`select current_user::text as owner`);
  await database.close();
  await postgres.sql('alter role store login');
  expect(failures).toEqual([]);
  expect(roles).toEqual([
    { usename: 'second', count: 8 },
    { usename: 'store', count: 2 },
  ]);
  expect(rows).toEqual([{ owner: 'store' }]);
});

it('no statement on an open connection fails when the password changes', async () => {
  const database = openAnyDatabase(await postgres.writeUrl(postgres.url('localhost')));
  const ask = () => database.run(sql`select 1`);
  await Promise.all(Array.from({ length: 10 }, ask));
  await postgres.sql("alter role store password 'second'");
  await Promise.all(Array.from({ length: 10 }, ask));
  await postgres.writeUrl(postgres.url('localhost', 'store', 'second'));
  await database.close();
  const fresh = openAnyDatabase(await postgres.writeUrl(postgres.url('localhost', 'store', 'second')));
  await fresh.run(sql`select 1`);
  await fresh.close();
  await postgres.sql("alter role store password 'first-password'");
});

it('a file without a URL fails connections, not the process, until the file is corrected', async () => {
  const pool = createPool({ connectionString: await postgres.writeUrl('first line is no URL: secret'), max: 1 });
  pool.on('error', () => undefined);
  // The second waits, and gets a client when the first fails.
  const reasons = await Promise.all([1, 2].map(() => pool.query('select 1').catch(({ message }) => message)));
  const reason = expect.stringMatching(/^The file \/.*\/url holds no URL like postgresql:[^ ]*$/);
  expect(reasons).toEqual([reason, reason]);
  await postgres.writeUrl(postgres.url('localhost'));
  expect((await pool.query('select 1 as one')).rows).toEqual([{ one: 1 }]);
  await pool.end();
});
