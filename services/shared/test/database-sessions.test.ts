import type pg from 'pg';
import { queryOnce, useDatabase } from '../../../tests/kit/postgres/database.ts';
import { openAnyDatabase } from '../../../tests/kit/postgres/open-database.ts';
import { until } from '../../../tests/kit/until.ts';
import { createClient } from '../src/database/connection.ts';
import { isDatabaseUnavailable } from '../src/database/errors.ts';
import { raw, sql } from '../src/database/sql.ts';

const database = useDatabase('account');
const opened = database.open((url) => openAnyDatabase(url, 4));

const foreign = [
  "timezone = 'America/Los_Angeles'",
  "datestyle = 'SQL, DMY'",
  "default_transaction_isolation = 'repeatable read'",
];
const settings = ['TimeZone', 'DateStyle', 'default_transaction_isolation'];
const expected = ['UTC', 'ISO, MDY', 'read committed'];
const asked = `select ${settings.map((name, index) => `current_setting('${name}') as s${index}`).join()}`;

const role = 'database_sessions';
const ofRole = () => Object.assign(new URL(database.url), { username: role, password: 'secret' }).href;
const asAdmin = (statement: string) => queryOnce(database.url, statement);

/** A separate connection, until the end of the test. */
async function connect(url: string, options?: string): Promise<pg.Client> {
  const client = createClient({ connectionString: url, options });
  database.closeLater({ close: () => client.end() });
  await client.connect();
  return client;
}
beforeAll(async () => {
  const name = new URL(database.url).pathname.slice(1);
  await asAdmin(`drop role if exists ${role}`);
  await asAdmin(`create role ${role} login password 'secret' in role pg_read_all_data, pg_write_all_data`);
  for (const setting of foreign) {
    await asAdmin(`alter database ${name} set ${setting}`);
    await asAdmin(`alter role ${role} set ${setting}`);
    await asAdmin(`alter role ${role} in database ${name} set ${setting}`);
  }
  await asAdmin('create table counter (id int primary key, value int not null)');
});
afterAll(async () => {
  await queryOnce(process.env.TEST_DATABASE_URL ?? '', `drop role ${role}`);
});

describe.each([
  ['the database', () => database.url],
  ['the role', ofRole],
  ['the role, with options of its URL', () => `${ofRole()}?options=-c%20TimeZone%3DAsia/Tokyo%20-c%20work_mem%3D5MB`],
])('if %s has other settings', (_, url) => {
  it('every session is in UTC, writes times as ISO 8601 and is at read committed', async () => {
    const one = database.closeLater(openAnyDatabase(url(), 2, url()));
    const statement = raw(asked);
    const client = await connect(url(), '-c idle_session_timeout=9000');
    const answers = [
      await one.run(statement),
      await one.lists.run(statement),
      await one.checks.run(statement),
      (await one.lists.readReplica(statement, () => true)) ?? [],
      (await client.query(asked)).rows,
    ];
    expect(answers.map(([row]) => Object.values(row ?? {}))).toEqual(answers.map(() => expected));
    expect((await client.query('show idle_session_timeout')).rows).toEqual([{ idle_session_timeout: '9s' }]);
  });
});

it('other options of a URL still apply', async () => {
  const client = await connect(`${ofRole()}?options=-c%20work_mem%3D5MB`);
  expect((await client.query('show work_mem')).rows).toEqual([{ work_mem: '5MB' }]);
});

/** Simulates a pooler that does not pass options on. */
async function withRepeatableRead<T>(work: (database: typeof opened) => Promise<T>): Promise<T> {
  const one = openAnyDatabase(database.url, 4);
  const lock = sql`select set_config('default_transaction_isolation', 'repeatable read', false), pg_sleep(0.05)`;
  try {
    await Promise.all(Array.from({ length: 4 }, () => one.run(lock)));
    return await work(one);
  } finally {
    await one.close();
  }
}

const increase = sql`update counter set value = value + 1 where id = 1`;
const counted = () => asAdmin('select value from counter where id = 1');
beforeEach(() => asAdmin('delete from counter').then(() => asAdmin('insert into counter values (1, 0), (2, 0)')));

it('statements that wait for the same row each take effect once, at any isolation level of the session', () =>
  withRepeatableRead(async ({ run }) => {
    const other = await connect(database.url);
    await other.query('begin; update counter set value = value + 1 where id = 1');
    const waiting = Array.from({ length: 4 }, () => run(increase));
    const locks =
      'select from pg_locks where database = (select oid from pg_database where datname = current_database())';
    await until('they wait', async () => (await asAdmin(`${locks} and not granted`)).length > 0);
    await other.query('commit');
    await Promise.all(waiting);
    expect(await counted()).toEqual([{ value: 5 }]);
  }));

it('a transaction reads rows that were committed after it began, at any isolation level of the session', () =>
  withRepeatableRead(async ({ inTransaction }) => {
    const read = await inTransaction(async (tx) => {
      await tx.run(sql`select`);
      await asAdmin('update counter set value = 5 where id = 1');
      return tx.run(sql`select value from counter where id = 1 for update`);
    });
    expect(read).toEqual([{ value: 5 }]);
  }));

it('a transaction that PostgreSQL ends because of a deadlock is repeated', async () => {
  const holding: number[] = [];
  let attempts = 0;
  const change = (first: number, second: number) =>
    opened.inTransaction(async (tx) => {
      attempts += 1;
      await tx.run(sql`update counter set value = value + 1 where id = ${first}`);
      holding.push(first);
      await until('both hold a row', () => holding.includes(1) && holding.includes(2));
      await tx.run(sql`update counter set value = value + 1 where id = ${second}`);
    });
  await Promise.all([change(1, 2), change(2, 1)]);
  expect(await asAdmin('select value from counter')).toEqual([{ value: 2 }, { value: 2 }]);
  expect(attempts).toBe(3);
});

it.each(['40001', '40P01'])('a transaction that keeps failing with %s is unavailable in the end', async (code) => {
  let attempts = 0;
  const failing = opened.inTransaction(async (tx) => {
    attempts += 1;
    await tx.run(raw(`do $$ begin raise exception 'again' using errcode = '${code}'; end $$`));
  });
  const error = await failing.catch((reason: unknown) => reason);
  expect(isDatabaseUnavailable(error)).toBe(true);
  expect(attempts).toBeGreaterThan(1);
});

it('a transaction that fails for another reason is not repeated', async () => {
  let attempts = 0;
  const failing = opened.inTransaction(async (tx) => {
    attempts += 1;
    await tx.run(sql`select 1 / 0`);
  });
  await expect(failing).rejects.toThrow('division by zero');
  expect(attempts).toBe(1);
});
