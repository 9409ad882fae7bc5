import { createHash } from 'node:crypto';
import { readFile } from 'node:fs/promises';
import { createTestDatabase, queryOnce, type TestDatabase } from '../../../tests/kit/postgres/database.ts';

const services = ['account', 'auth', 'consumers', 'inventory', 'order', 'payment', 'product'];
let databases: TestDatabase[];

beforeAll(async () => {
  databases = await Promise.all(services.map(createTestDatabase));
}, 60_000);

afterAll(() => Promise.all(databases.map((database) => database.drop())));

const columns = (table: string) => `
  select column_name, data_type, is_nullable, column_default
  from information_schema.columns where table_name = '${table}' order by column_name`;
const constraints = (table: string) => `
  select conname, pg_get_constraintdef(oid) as definition
  from pg_constraint where conrelid = to_regclass('${table}') order by conname`;
const indexes = (table: string) =>
  `select indexname, indexdef from pg_indexes where tablename = '${table}' order by indexname`;

it.each(['outbox', 'processed_events', 'dead_letters', 'dead_letter_audit', 'audit'])(
  'the table %s of messaging is the same in the database of every service that has it',
  async (table) => {
    const definitions = await Promise.all(
      databases.map(({ url }) => Promise.all([columns, constraints, indexes].map((sql) => queryOnce(url, sql(table))))),
    );
    const [first, ...others] = definitions.filter(([found]) => found?.length);
    expect(others.length).toBeGreaterThanOrEqual(3);
    for (const other of others) expect(other).toEqual(first);
  },
);

it.each([
  ['20261122030000_dead_letters', 'd6321027ff38aa4c824dc5e62c71f714446feee2eb3ac2dfb539427bab62b964'],
  ['20261122230000_outbox_key', '1641703810d0bd93194723a9ab323b3f72b1ab118d488c091ce61995c5163b6b'],
])(
  'the shared migration %s is what databases have recorded, from when each service had a copy',
  async (name, checksum) => {
    const sql = await readFile(new URL(`../prisma/migrations/${name}/migration.sql`, import.meta.url));
    expect(createHash('sha256').update(sql).digest('hex')).toBe(checksum);
  },
);
