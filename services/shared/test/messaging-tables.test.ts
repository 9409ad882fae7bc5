import { createHash } from 'node:crypto';
import { readdir, readFile } from 'node:fs/promises';
import { createTestDatabase, queryOnce, type TestDatabase } from '../../../tests/kit/postgres/database.ts';
import { prismaEngine } from './_prisma-engine.ts';

const services = ['account', 'consumers', 'inventory', 'order', 'payment'];
const databases = new Map<string, TestDatabase>();

beforeAll(async () => {
  await Promise.all(services.map(async (name) => databases.set(name, await createTestDatabase(name))));
}, 60_000);

afterAll(() => Promise.all([...databases.values()].map((database) => database.drop())));

/** Migrations by name, as Prisma reads them from a folder. */
async function migrationsIn(folder: string): Promise<Record<string, string>> {
  const url = new URL(`../../${folder}/prisma/migrations/`, import.meta.url);
  const entries = await readdir(url, { withFileTypes: true });
  const names = entries.filter((entry) => entry.isDirectory()).map(({ name }) => name);
  return Object.fromEntries(
    await Promise.all(names.map(async (name) => [name, await readFile(new URL(`${name}/migration.sql`, url), 'utf8')])),
  );
}

const columns = (table: string) => `
  select column_name, data_type, is_nullable, column_default
  from information_schema.columns where table_name = '${table}' order by column_name`;
const constraints = (table: string) => `
  select conname, pg_get_constraintdef(oid) as definition
  from pg_constraint where conrelid = to_regclass('${table}') order by conname`;
const indexes = (table: string) =>
  `select indexname, indexdef from pg_indexes where tablename = '${table}' order by indexname`;

describe('the tables of messaging', () => {
  it.each(['outbox', 'processed_events', 'dead_letters', 'dead_letter_audit'])(
    '%s is the same in the database of every service that has it',
    async (table) => {
      const definitions = await Promise.all(
        [...databases.values()].map(async ({ url }) => {
          const parts = [columns, constraints, indexes].map((query) => queryOnce(url, query(table)));
          return Promise.all(parts);
        }),
      );
      const [first, ...others] = definitions.filter(([found]) => found?.length);
      expect(others.length).toBeGreaterThanOrEqual(3);
      for (const other of others) expect(other).toEqual(first);
    },
  );
});

describe('the migrations that services share', () => {
  it.each([
    ['20261122030000_dead_letters', 'd6321027ff38aa4c824dc5e62c71f714446feee2eb3ac2dfb539427bab62b964'],
    ['20261122230000_outbox_key', '1641703810d0bd93194723a9ab323b3f72b1ab118d488c091ce61995c5163b6b'],
  ])('%s is what databases have recorded, from when each service had a copy', async (name, checksum) => {
    const { [name]: sql = '' } = await migrationsIn('shared');
    expect(createHash('sha256').update(sql).digest('hex')).toBe(checksum);
  });

  it.each(services)('are those of %s to Prisma, too', async (service) => {
    const migrations = await migrationsIn(service);
    const shared = await migrationsIn('shared');
    for (const [name, sql] of Object.entries(shared)) expect([undefined, sql]).toContain(migrations[name]);
    const engine = prismaEngine(databases.get(service)?.url ?? '', migrations);
    expect(await engine.status()).toMatchObject({ history: null, editedMigrationNames: [] });
  });
});
