import { createHash } from 'node:crypto';
import { readFile } from 'node:fs/promises';
import { createTestDatabase, queryOnce, type TestDatabase } from '../../../tests/kit/postgres/database.ts';

const services = ['account', 'auth', 'consumers', 'inventory', 'order', 'payment', 'product'];
let databases: TestDatabase[];

beforeAll(async () => {
  databases = await Promise.all(services.map((service) => createTestDatabase(service)));
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

it.each(['outbox', 'processed_events', 'dead_letters', 'audit'])(
  'the table %s is the same in the database of every service that has it',
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
  'the shared migration %s has the checksum that databases recorded when each service had a copy',
  async (name, checksum) => {
    const sql = await readFile(new URL(`../prisma/migrations/${name}/migration.sql`, import.meta.url));
    expect(createHash('sha256').update(sql).digest('hex')).toBe(checksum);
  },
);

it('the audit trail has the decisions of the previous release about dead letters, from before the migration and after', async () => {
  const url = databases[services.indexOf('payment')]?.url ?? '';
  const migration = new URL('../prisma/migrations/20261125110000_dead_letters_in_audit/migration.sql', import.meta.url);
  const letter = '6b1f0c9e-3a52-4d0f-9f0e-0d8a55a1c001';
  const decide = (outcome: string, reason: string | null, at: string) =>
    queryOnce(
      url,
      `with letter as (select '${letter}'::uuid as id)
      insert into dead_letter_audit (consumer_group, letter_id, outcome, reason, requested_by, at)
      select 'payment-group', id, '${outcome}', ${reason && `'${reason}'`}, 'Ann', '${at}' from letter returning id`,
    );
  await queryOnce(url, 'drop function audit_dead_letter cascade');
  await decide('FAILED', 'A bug', '2026-11-24T10:00:00.123Z');
  await queryOnce(url, await readFile(migration, 'utf8'));
  await decide('REDRIVEN', null, '2026-11-25T10:00:00.123Z');

  const change = (status: string, after: object, at: string) => ({
    at: new Date(at),
    actor: 'operator Ann',
    kind: 'dead letter',
    subject: letter,
    before: { group: 'payment-group', status: 'OPEN' },
    after: { group: 'payment-group', status, ...after },
  });
  expect(await queryOnce(url, 'select at, actor, kind, subject, before, after from audit order by id')).toEqual([
    change('OPEN', { outcome: 'FAILED', reason: 'A bug' }, '2026-11-24T10:00:00.123Z'),
    change('REDRIVEN', { outcome: 'REDRIVEN' }, '2026-11-25T10:00:00.123Z'),
  ]);
  // The old table stays for replicas of the previous release, and for a rollback.
  expect(await queryOnce(url, 'select outcome from dead_letter_audit order by id')).toHaveLength(2);
});
