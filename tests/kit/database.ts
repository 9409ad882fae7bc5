import { randomBytes } from 'node:crypto';
import { migrate } from '@store/shared/database/migrate';
import pg from 'pg';

export interface TestDatabase {
  url: string;
  drop(): Promise<void>;
}

/** A fresh database with the migrations of a service, on the PostgreSQL that the tests started. */
export async function createTestDatabase(service: string): Promise<TestDatabase> {
  const base = process.env.TEST_DATABASE_URL;
  if (base === undefined) throw new Error('TEST_DATABASE_URL is not set: run the tests with npm test');
  const name = `${service}_${randomBytes(6).toString('hex')}`;
  const url = new URL(base);
  url.pathname = `/${name}`;
  await inDatabase(base, `create database ${name}`);
  await migrate(url.href, new URL(`../../services/${service}/prisma/migrations/`, import.meta.url));
  return { url: url.href, drop: () => inDatabase(base, `drop database ${name} with (force)`) };
}

/** A database that nobody serves, for what a service does when its own is away. */
export const unreachableDatabaseUrl = 'postgresql://nobody:nothing@127.0.0.1:1/away';

async function inDatabase(url: string, sql: string): Promise<void> {
  const client = new pg.Client({ connectionString: url });
  await client.connect();
  try {
    await client.query(sql);
  } finally {
    await client.end();
  }
}
