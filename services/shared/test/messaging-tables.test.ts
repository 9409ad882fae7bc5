import { createTestDatabase, queryOnce, type TestDatabase } from '../../../tests/kit/postgres/database.ts';

/** Every service with a consumer group has its own copies, by its own migrations. */
const services = ['consumers', 'inventory', 'order', 'payment'];
const databases: TestDatabase[] = [];

beforeAll(async () => {
  databases.push(...(await Promise.all(services.map(createTestDatabase))));
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

describe('the tables of messaging', () => {
  it.each(['outbox', 'processed_events', 'dead_letters', 'dead_letter_audit'])(
    '%s is the same in the database of every service that has it',
    async (table) => {
      const definitions = await Promise.all(
        databases.map(async ({ url }) => {
          const parts = [columns, constraints, indexes].map((query) => queryOnce(url, query(table)));
          return Promise.all(parts);
        }),
      );
      const [first, ...others] = definitions.filter(([found]) => found?.length);
      expect(others.length).toBeGreaterThanOrEqual(2);
      for (const other of others) expect(other).toEqual(first);
    },
  );
});
