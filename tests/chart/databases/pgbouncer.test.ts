import { writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { isDatabaseUnavailable } from '@store/shared/database/errors';
import { raw, sql } from '@store/shared/database/sql';
import pg from 'pg';
import { createFollower } from '../../../services/auth/src/sessions/follower.ts';
import { createLog } from '../../../services/shared/src/observability/log.ts';
import { valuesFiles } from '../../../tools/chart/render.ts';
import { freePort } from '../../../tools/free-port.ts';
import { findPostgres, startOf } from '../../../tools/local/components/postgres-program.ts';
import { startProcess } from '../../../tools/local/components/supervised-process.ts';
import { findOnPath, outputOf } from '../../../tools/local/downloads/provide-tool.mjs';
import { useFolder } from '../../kit/folder.ts';
import { createSend } from '../../kit/http.ts';
import { queryOnce } from '../../kit/postgres/database.ts';
import { openAnyDatabase } from '../../kit/postgres/open-database.ts';
import { startPostgres } from '../../kit/postgres/server.ts';
import { useServices } from '../../kit/service-process.ts';
import { until } from '../../kit/until.ts';
import { manifests } from '../_manifests.ts';

const howToGetPgbouncer = 'apt-get install pgbouncer (Debian 13 or later), or set PGBOUNCER to its path';

/** PGBOUNCER, else the program on PATH, if it supports prepared statements (1.21 or later). */
async function findPgbouncer(): Promise<string | undefined> {
  const found = process.env.PGBOUNCER || (await findOnPath('pgbouncer')) || '/usr/sbin/pgbouncer';
  const [, major, minor] =
    /PgBouncer (\d+)\.(\d+)/.exec((await outputOf(found, ['--version']).catch(() => '')) ?? '') ?? [];
  return Number(major) > 1 || Number(minor) >= 21 ? found : undefined;
}

/**
 * Starts PgBouncer in front of a database, with the settings of its section `[pgbouncer]`.
 * @param dir must be accessible to all users
 * @returns the process, and the parameters that direct a URL of that database to PgBouncer
 */
async function startPgbouncer(command: string, dir: string, databaseUrl: string, settings: object) {
  const port = await freePort();
  const { hostname, port: behind, username, password } = new URL(databaseUrl);
  const users = join(dir, 'users.txt');
  const all = {
    listen_addr: '127.0.0.1',
    listen_port: port,
    auth_type: 'scram-sha-256',
    auth_file: users,
    ...settings,
  };
  const lines = Object.entries(all).map(([name, value]) => `${name} = ${value}`);
  const file = join(dir, 'pgbouncer.ini');
  await writeFile(users, `"${username}" "${password}"\n`);
  await writeFile(file, ['[databases]', `* = host=${hostname} port=${behind}`, '[pgbouncer]', ...lines, ''].join('\n'));
  const parameters = `host=127.0.0.1&port=${port}`;
  const pgbouncer = await startProcess({
    name: 'pgbouncer',
    // Like PostgreSQL, PgBouncer refuses to run as root.
    ...startOf(await findPostgres(), command, [file]),
    logDir: dir,
    log: () => undefined,
    ready: async () => {
      const client = new pg.Client({ connectionString: `${databaseUrl}?${parameters}` });
      await client.connect();
      await client.end();
      return true;
    },
  });
  return { ...pgbouncer, parameters };
}

const found = await findPgbouncer();
if (found === undefined) console.log(`PgBouncer 1.21 or later is missing: ${howToGetPgbouncer}`);

const poolSize = 3;
/** Addresses where nothing listens. */
const elsewhere = Object.fromEntries(
  ['AUTH', 'ORDER', 'INVOICE', 'NOTIFICATION', 'PAYMENT', 'INVENTORY'].map((name) => [
    `${name}_URL`,
    'http://127.0.0.1:1',
  ]),
);
/** Settings that an operator may have given a role, for example for reports. */
const ofRole = [
  "timezone = 'America/Los_Angeles'",
  "datestyle = 'SQL, DMY'",
  "default_transaction_isolation = 'repeatable read'",
];
type Opened = ReturnType<typeof openAnyDatabase>;
interface Settings {
  zone: string;
  style: string;
  pid?: number;
}
const dir = useFolder();
const startService = useServices();

/** Reads the settings in the chart. */
async function readSettings() {
  const values = {
    database: { cloudnativePg: { pooler: { enabled: true, poolSize } } },
    global: { externalDatabase: { pooler: 'store-database-pooler:5432' } },
  };
  const { one } = await manifests(values, [...(valuesFiles.prod ?? []), 'charts/store/presets/cloudnative-pg.yaml']);
  const { poolMode, parameters } = one('Pooler').spec.pgbouncer;
  return { pgbouncer: { pool_mode: poolMode, ...parameters }, postgres: one('Cluster').spec.postgresql.parameters };
}

(found ? describe : describe.skip)("services whose requests go through PgBouncer with the chart's settings", () => {
  let postgres: Awaited<ReturnType<typeof startPostgres>>;
  let pgbouncer: Awaited<ReturnType<typeof startPgbouncer>>;
  let direct: string;
  let pooled: string;
  beforeAll(async () => {
    const { pgbouncer: ofPooler, postgres: ofServer } = await readSettings();
    const options = { dataDir: join(dir, 'data'), port: await freePort(), log: () => undefined };
    const { client_connection_check_interval } = ofServer;
    postgres = await startPostgres({ ...options, settings: { fsync: 'off', client_connection_check_interval } });
    await postgres.createDatabase('account');
    for (const setting of ofRole) await queryOnce(postgres.superuserUrl, `alter role account set ${setting}`);
    direct = postgres.url('account');
    pgbouncer = await startPgbouncer(found ?? '', dir, direct, ofPooler);
    pooled = `${direct}?${pgbouncer.parameters}`;
  });
  afterAll(async () => {
    await pgbouncer?.stop();
    await postgres?.stop();
  });

  const connections = (where = 'true') =>
    queryOnce(postgres.superuserUrl, `select pid from pg_stat_activity where datname = 'account' and ${where}`);

  /** Two processes, each with more connections than PgBouncer. */
  async function withTwo(work: (databases: [Opened, Opened]) => Promise<unknown>) {
    const [one, other] = [openAnyDatabase(pooled), openAnyDatabase(pooled)];
    try {
      await work([one, other]);
    } finally {
      await Promise.all([one.close(), other.close()]);
    }
  }

  it('migrate, become ready and answer with no more connections than the pool size', async () => {
    const env = { ...elsewhere, KAFKA_BROKERS: '127.0.0.1:1', DATABASE_URL: direct, DATABASE_POOLER_URL: pooled };
    const service = await startService('services/account/src/main.ts', env);
    await service.ready();
    const numbers = Array.from({ length: 12 }, (_, number) => number);
    const register = (number: number) => {
      const account = { name: 'Ada', email: `ada-${number}@example.com`, password: 'correct horse' };
      return createSend(service.url)('POST', '/internal/accounts', account);
    };
    const answers = await Promise.all(numbers.map(register));
    expect(answers.map(({ status }) => status)).toEqual(answers.map(() => 201));
    expect((await connections("application_name <> 'outbox-relay'")).length).toBeLessThanOrEqual(poolSize);
    await service.end('SIGTERM');
  });

  it('use UTC and ISO times on every connection of the pool, whatever its role or other clients have set', () =>
    withTwo(async (databases) => {
      const asked = "select current_setting('TimeZone') as zone, current_setting('DateStyle') as style";
      const statement = sql`${raw(asked)}, pg_backend_pid() as pid, pg_sleep(0.02)`;
      const ask = async (number: number): Promise<Settings[]> => {
        const database = databases[number % 3];
        return database ? database.run<Settings>(statement) : queryOnce(pooled, `${asked}, pg_sleep(0.02)`);
      };
      const rows = (await Promise.all(Array.from({ length: 90 }, (_, number) => ask(number)))).flat();
      const [ours, others] = [rows.filter(({ pid }) => pid), rows.filter(({ pid }) => !pid)];
      expect(new Set(ours.map(({ pid }) => pid)).size).toBe(poolSize);
      const distinct = (of: Settings[]) => [...new Set(of.map(({ zone, style }) => `${zone}, ${style}`))];
      expect(distinct(others)).toEqual(['America/Los_Angeles, SQL, DMY']);
      expect(distinct(ours)).toEqual(['UTC, ISO, MDY']);
    }));

  it('retry a statement that had to wait for a row if their role defaults to repeatable read', () =>
    withTwo(async (databases) => {
      const [one] = databases;
      await one.run(sql`create table if not exists changed (value int)`);
      await one.run(sql`insert into changed values (0)`);
      expect(await one.run(sql`show default_transaction_isolation`)).toEqual([
        { default_transaction_isolation: 'repeatable read' },
      ]);
      const increase = sql`update changed set value = value + 1`;
      const holder = new pg.Client({ connectionString: direct });
      holder.on('error', () => undefined); // if the test fails, the server's end also ends this client
      await holder.connect();
      await holder.query('begin; update changed set value = value + 1');
      const all = databases.map((database) => database.run(increase));
      await until('both wait', async () => (await connections("wait_event_type = 'Lock'")).length === 2);
      await holder.query('commit');
      await Promise.all(all);
      expect((await holder.query('select value from changed')).rows).toEqual([{ value: 3 }]);
      await holder.end();
    }));

  it('prepare statements that other connections of the pool then run', () =>
    withTwo(async (databases) => {
      const ask = async (number: number) => {
        const statement = sql`select ${number}::int + ${raw(String(number % 7))} as sum`;
        const [row] = (await databases[number % 2]?.run<{ sum: number }>(statement)) ?? [];
        return row?.sum;
      };
      const numbers = Array.from({ length: 200 }, (_, number) => number);
      expect(await Promise.all(numbers.map(ask))).toEqual(numbers.map((number) => number + (number % 7)));
    }));

  it("hold a transaction's lock only for that transaction", () =>
    withTwo(async (databases) => {
      await databases[0].run(sql`create table if not exists counter (value int)`);
      await databases[0].run(sql`insert into counter values (0)`);
      const increase = (database: Opened) =>
        database.inTransaction(async (tx) => {
          await tx.run(sql`select pg_advisory_xact_lock(1)`);
          const [counter] = await tx.run<{ value: number }>(sql`select value from counter`);
          await tx.run(sql`update counter set value = ${(counter?.value ?? 0) + 1}`);
        });
      await Promise.all(Array.from({ length: 10 }, () => databases.map(increase)).flat());
      expect(await queryOnce(direct, 'select value from counter')).toEqual([{ value: 20 }]);
    }));

  it('carry out what a transaction sends, in its order, or nothing of it', () =>
    withTwo(async (databases) => {
      await databases[0].run(sql`create table if not exists sent (number int, position serial)`);
      const write = (database: Opened, first: number, divisor: number) =>
        database.inTransaction((tx) => {
          for (const number of [first, first + 1]) tx.send(sql`insert into sent (number) values (${number}::int)`);
          tx.send(sql`select ${first}::int / ${divisor}::int`);
          tx.send(sql`insert into sent (number) values (${first + 2}::int)`);
        });
      const firsts = Array.from({ length: 20 }, (_, index) => 10 * index);
      const ends = await Promise.allSettled(
        firsts.flatMap((first) => [write(databases[0], first, 1), write(databases[1], first + 5, 0)]),
      );
      expect(ends.map(({ status }) => status)).toEqual(firsts.flatMap(() => ['fulfilled', 'rejected']));
      const rows = await queryOnce<{ number: number }>(
        direct,
        'select number from sent order by number / 10, position',
      );
      expect(rows.map(({ number }) => number)).toEqual(firsts.flatMap((first) => [first, first + 1, first + 2]));
    }));

  it('receive on their own connection what is notified through the pool', () =>
    withTwo(async ([database]) => {
      const heard: string[] = [];
      const onNotification = (payload: string) => heard.push(payload);
      const follower = createFollower({
        name: 'test',
        databaseUrl: direct,
        channel: 'test',
        load: async () => 0,
        onNotification,
      });
      const running = follower.start(createLog('test', 'silent'));
      await until('it listens', follower.isCurrent);
      await database.run(sql`select pg_notify('test', 'news')`);
      await until('the notification arrives', () => heard.length === 1);
      await running.stop();
      expect(heard).toEqual(['news']);
    }));

  it('leave no abandoned statement running', () =>
    withTwo(async ([database]) => {
      const failure = await database.lists.run(sql`select pg_sleep(60)`).catch((error) => error);
      expect(isDatabaseUnavailable(failure)).toBe(true);
      await until('it has ended', async () => (await connections("query ~ 'pg_sleep[(]'")).length === 0, {
        timeoutMs: 5_000,
      });
    }));

  it('report a stopped server as unavailable, and find it again', () =>
    withTwo(async ([database]) => {
      const ask = () => database.run(sql`select 1`);
      await ask();
      const restarted = postgres.restart();
      const failures: unknown[] = [];
      for (let answered = 0; answered < 20; ) {
        await ask().then(
          () => (answered += 1),
          (error) => failures.push(error),
        );
      }
      await restarted;
      await ask();
      expect(failures.filter((error) => !isDatabaseUnavailable(error))).toEqual([]);
    }));
});
