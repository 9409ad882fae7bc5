import { createHash, randomBytes } from 'node:crypto';
import { mkdir, mkdtemp, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { mock } from 'node:test';
import { pathToFileURL } from 'node:url';
import pg from 'pg';
import { useFolder } from '../../../../tests/kit/folder.ts';
import { queryOnce } from '../../../../tests/kit/postgres/database.ts';
import { until } from '../../../../tests/kit/until.ts';
import { migrate } from './migrate.ts';

const base = process.env.TEST_DATABASE_URL ?? '';
const folders = useFolder();
let url: string;
let folder: string;

beforeEach(async () => {
  const name = `shared_${randomBytes(6).toString('hex')}`;
  await queryOnce(base, `create database ${name}`);
  url = Object.assign(new URL(base), { pathname: `/${name}` }).href;
  folder = await mkdtemp(join(folders, 'migrations-'));
});

afterEach(() => queryOnce(base, `drop database ${new URL(url).pathname.slice(1)} with (force)`));

async function write(name: string, sql: string) {
  await mkdir(join(folder, name), { recursive: true });
  await writeFile(join(folder, name, 'migration.sql'), sql);
}

const onWait = mock.fn();
const apply = () => migrate(url, pathToFileURL(`${folder}/`), onWait);
const query = (sql: string) => queryOnce<Record<string, unknown>>(url, sql);
const recorded = () => query('select * from _prisma_migrations order by started_at');

it('applies new migrations in the order of their names and records them', async () => {
  await write('2_second', 'insert into a values (2);');
  await write('1_first', 'create table a (n int);');
  await writeFile(join(folder, 'migration_lock.toml'), 'provider = "postgresql"');
  expect(await apply()).toEqual(['1_first', '2_second']);
  expect(await apply()).toEqual([]);
  await write('3_third', 'insert into a values (3);');
  expect(await apply()).toEqual(['3_third']);
  expect(await query('select n from a order by n')).toEqual([{ n: 2 }, { n: 3 }]);
  expect((await recorded()).map(({ migration_name }) => migration_name)).toEqual(['1_first', '2_second', '3_third']);
});

it('records a migration as Prisma does, and applies one that Prisma left unfinished', async () => {
  const sql = 'create table a (n int);\n-- Grüße;\n';
  await write('1_first', sql);
  await apply();
  const record = {
    id: expect.stringMatching(/^[\da-f-]{36}$/),
    checksum: createHash('sha256').update(sql).digest('hex'),
    migration_name: '1_first',
    finished_at: expect.any(Date),
    started_at: expect.any(Date),
    logs: null,
    rolled_back_at: null,
    applied_steps_count: 1,
  };
  expect(await recorded()).toEqual([record]);
  await write('2_second', 'insert into a values (1);');
  // Prisma writes this before it applies the migration.
  await query(`insert into _prisma_migrations (id, checksum, migration_name) values ('x', 'y', '2_second')`);
  expect(await apply()).toEqual(['2_second']);
  expect(await apply()).toEqual([]);
  expect(await query('select n from a')).toEqual([{ n: 1 }]);
  const isOver = { migration_name: '2_second', finished_at: null, rolled_back_at: expect.any(Date) };
  expect((await recorded()).slice(1)).toMatchObject([isOver, { migration_name: '2_second', rolled_back_at: null }]);
});

it('applies each migration once when several replicas start together on a fresh database', async () => {
  await write('1_first', 'create table a (n int); select pg_sleep(0.2); insert into a values (1);');
  await write('2_second', 'insert into a values (2);');
  const applied = await Promise.all([apply(), apply(), apply(), apply()]);
  expect(applied.filter((names) => names.length > 0)).toEqual([['1_first', '2_second']]);
  expect(await query('select n from a order by n')).toEqual([{ n: 1 }, { n: 2 }]);
  expect(await recorded()).toHaveLength(2);
});

it('accepts semicolons in functions, strings and comments', async () => {
  await write(
    '1_first',
    `-- one; two
     create table a (t text default 'x;y');
     create function f() returns int language plpgsql as $$ begin insert into a default values; return 1; end $$;
     select f();`,
  );
  expect(await apply()).toEqual(['1_first']);
  expect(await query('select t from a')).toEqual([{ t: 'x;y' }]);
});

it('reports the error of a broken migration, leaves nothing behind, and applies it once it is fixed', async () => {
  await write('1_first', 'create table a (n int);');
  await write('2_broken', 'insert into a values (1); insert into missing values (2);');
  for (const _ of ['once', 'again']) await expect(apply()).rejects.toThrow(/missing[\s\S]*2_broken/);
  expect(await query('select n from a')).toEqual([]);
  await write('2_broken', 'insert into a values (1);');
  expect(await apply()).toEqual(['2_broken']);
});

it('applies an interrupted migration at the next start', async () => {
  await write('1_first', 'create table a (n int); select pg_sleep(60);');
  const cut = apply();
  cut.catch(() => undefined);
  const isAsleep = "select pid from pg_stat_activity where query like '%pg_sleep(60)%' and pid <> pg_backend_pid()";
  await until('it is under way', async () => (await query(isAsleep)).length > 0);
  await query(`select pg_terminate_backend(pid) from (${isAsleep}) as sleeping`);
  await expect(cut).rejects.toThrow(/1_first/);
  await write('1_first', 'create table a (n int);');
  expect(await apply()).toEqual(['1_first']);
});

it('steps aside while a long transaction uses its table, without blocking readers, and reports it', async () => {
  await write('1_first', 'create table a (n int);');
  await apply();
  const reader = new pg.Client({ connectionString: url });
  await reader.connect();
  await reader.query('begin; select from a');
  await write('2_second', 'alter table a add column t text;');
  const applied = apply();
  await until('the migration steps aside twice', () => onWait.mock.callCount() >= 2);
  expect(onWait.mock.calls.at(-1)?.arguments).toEqual([{ migration: '2_second', failures: 2 }]);
  // If the migration waited without a limit, the first of these would last as long as the transaction.
  for (let reads = 0; reads < 20; reads += 1) await query('select n from a');
  await reader.end();
  expect(await applied).toEqual(['2_second']);
});

it('creates an index concurrently while a replica waits for its turn, and repeats an interrupted attempt', async () => {
  await write('1_first', 'create table a (n int); insert into a values (1), (1);');
  await apply();
  const index = (kind: string) => `drop index concurrently if exists a_n;\ncreate ${kind} concurrently a_n on a (n);\n`;
  await write('2_index', index('unique index'));
  await expect(apply()).rejects.toThrow(/could not create unique index "a_n".*2_index/);
  await write('2_index', index('index'));
  const applied = await Promise.all([apply(), apply()]);
  expect(applied.flat()).toEqual(['2_index']);
  const isValid = await query("select indisvalid from pg_index where indexrelid = 'a_n'::regclass");
  expect(isValid).toEqual([{ indisvalid: true }]);
});

it('reports a migration without a file', async () => {
  await mkdir(join(folder, '1_empty'));
  await expect(apply()).rejects.toThrow(/1_empty/);
});
