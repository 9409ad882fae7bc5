import { randomBytes } from 'node:crypto';
import { migrate } from '@store/shared/database/migrate';
import pg from 'pg';

export interface TestDatabase {
  url: string;
  drop(): Promise<void>;
}

/** Creates a database with the migrations of a service, on the PostgreSQL that the Jest set-up started. */
export async function createTestDatabase(service: string): Promise<TestDatabase> {
  const base = process.env.TEST_DATABASE_URL;
  if (base === undefined) throw new Error('TEST_DATABASE_URL is not set: run the tests with npm test');
  const name = `${service}_${randomBytes(6).toString('hex')}`;
  const url = new URL(base);
  url.pathname = `/${name}`;
  await queryOnce(base, `create database ${name}`);
  await migrate(url.href, new URL(`../../../services/${service}/prisma/migrations/`, import.meta.url));
  return {
    url: url.href,
    async drop() {
      await queryOnce(base, `drop database ${name} with (force)`);
    },
  };
}

/** No server listens there. */
export const unreachableDatabaseUrl = 'postgresql://nobody:nothing@127.0.0.1:1/unreachable';

/** Runs one statement on a connection of its own and returns its rows. */
export async function queryOnce<Row extends object>(url: string, sql: string): Promise<Row[]> {
  const client = new pg.Client({ connectionString: url });
  await client.connect();
  try {
    return (await client.query<Row>(sql)).rows;
  } finally {
    await client.end();
  }
}
