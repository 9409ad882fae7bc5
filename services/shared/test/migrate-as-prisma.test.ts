import { createHash, randomBytes } from 'node:crypto';
import { mkdir, mkdtemp, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { pathToFileURL } from 'node:url';
import { queryOnce } from '../../../tests/kit/postgres/database.ts';
import { migrate } from '../src/database/migrate.ts';
import { prismaEngine } from './_prisma-engine.ts';

const base = process.env.TEST_DATABASE_URL ?? '';
const migrations = {
  '1_first': 'create table a (n int);\n-- Grüße;\ninsert into a values (1);\n',
  '2_second': 'insert into a values (2);',
};
let folder: string;

beforeAll(async () => {
  folder = await mkdtemp(join(tmpdir(), 'migrations-'));
  for (const [name, sql] of Object.entries(migrations)) {
    await mkdir(join(folder, name));
    await writeFile(join(folder, name, 'migration.sql'), sql);
  }
});

afterAll(() => rm(folder, { recursive: true }));

const apply = (url: string) => migrate(url, pathToFileURL(`${folder}/`));

const databases: string[] = [];

async function createDatabase(): Promise<string> {
  const name = `shared_${randomBytes(6).toString('hex')}`;
  databases.push(name);
  await queryOnce(base, `create database ${name}`);
  return Object.assign(new URL(base), { pathname: `/${name}` }).href;
}

afterEach(async () => {
  for (const name of databases.splice(0)) await queryOnce(base, `drop database ${name} with (force)`);
});

const inStep = { hasMigrationsTable: true, history: null, editedMigrationNames: [], failedMigrationNames: [] };

describe('to Prisma', () => {
  it('its migrations are applied', async () => {
    const url = await createDatabase();
    expect(await apply(url)).toEqual(['1_first', '2_second']);
    const engine = prismaEngine(url, migrations);
    expect(await engine.status()).toEqual(inStep);
    expect(await engine.deploy()).toEqual([]);
  });

  it('a later migration is pending, and an edited one edited', async () => {
    const url = await createDatabase();
    await apply(url);
    const changed = { ...migrations, '2_second': 'insert into a values (3);', '3_third': 'insert into a values (3);' };
    const engine = prismaEngine(url, changed);
    expect(await engine.status()).toMatchObject({
      history: { diagnostic: 'databaseIsBehind', unappliedMigrationNames: ['3_third'] },
      editedMigrationNames: ['2_second'],
    });
    expect(await engine.deploy()).toEqual(['3_third']);
  });

  it('the records look like its own', async () => {
    const [ours, prismas] = [await createDatabase(), await createDatabase()];
    await apply(ours);
    await prismaEngine(prismas, migrations).deploy();
    for (const sql of [
      `select migration_name, checksum, logs, rolled_back_at, applied_steps_count, length(id) as id,
              finished_at >= started_at as is_finished
       from _prisma_migrations order by started_at`,
      `select column_name, data_type, character_maximum_length, is_nullable, column_default
       from information_schema.columns where table_name = '_prisma_migrations' order by ordinal_position`,
      "select indexdef from pg_indexes where tablename = '_prisma_migrations'",
    ]) {
      expect(await queryOnce(ours, sql)).toEqual(await queryOnce(prismas, sql));
    }
  });
});

describe('a database that Prisma has migrated', () => {
  it('is taken over', async () => {
    const url = await createDatabase();
    await prismaEngine(url, { '1_first': migrations['1_first'] }).deploy();
    expect(await apply(url)).toEqual(['2_second']);
    expect(await apply(url)).toEqual([]);
    expect(await queryOnce(url, 'select n from a order by n')).toEqual([{ n: 1 }, { n: 2 }]);
    expect(await prismaEngine(url, migrations).status()).toEqual(inStep);
  });

  it('gets a migration again that was interrupted', async () => {
    const url = await createDatabase();
    await prismaEngine(url, { '1_first': migrations['1_first'] }).deploy();
    // As Prisma writes it before it applies the migration.
    const checksum = createHash('sha256').update(migrations['2_second']).digest('hex');
    await queryOnce(
      url,
      `insert into _prisma_migrations (id, checksum, migration_name) values (gen_random_uuid(), '${checksum}', '2_second')`,
    );
    expect(await apply(url)).toEqual(['2_second']);
    expect(await queryOnce(url, 'select n from a order by n')).toEqual([{ n: 1 }, { n: 2 }]);
    expect(await prismaEngine(url, migrations).status()).toEqual(inStep);
  });
});
