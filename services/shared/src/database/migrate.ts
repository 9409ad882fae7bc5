import { readdir, readFile } from 'node:fs/promises';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import pg from 'pg';
import type { Migration } from './schema-engine.ts';

/** Any constant: the same in every copy of a service, so that they queue for it. */
const migrationLock = 7_310_001;

/**
 * Applies the migrations of a folder in Prisma's format and books them in `_prisma_migrations`, like
 * `prisma migrate deploy`, but with the WebAssembly engine: the image needs no native binary. Copies that start
 * together wait for one another; a repeated call applies nothing. A migration is applied and booked in one
 * transaction, so one that failed or was cut off left nothing behind and is tried again.
 * @returns the names of the migrations applied now
 * @throws what the database said, and which one it is
 */
export async function migrate(databaseUrl: string, folder: URL): Promise<string[]> {
  // One connection for all: the lock lasts as long as what it protects, even when this process is killed.
  const pool = new pg.Pool({
    connectionString: databaseUrl,
    max: 1,
    idleTimeoutMillis: 0,
    connectionTimeoutMillis: 5_000,
  });
  pool.on('error', () => undefined); // a lost connection fails the query that waits on it
  try {
    const migrations = await readMigrations(fileURLToPath(folder));
    const recorded = await finished(pool);
    if (migrations.every(({ name }) => recorded.has(name))) return [];
    // Most starts end here: the engine is large, and takes longer to load than all else of a service.
    const { applyMigrations, unfinished } = await import('./schema-engine.ts');
    await pool.query('select pg_advisory_lock($1)', [migrationLock]);
    if (await hasRecords(pool))
      await pool.query(`update _prisma_migrations set rolled_back_at = now() where ${unfinished}`);
    return await applyMigrations(pool, fileURLToPath(folder), migrations);
  } catch (error) {
    const { message, code } = error as { message?: string; code?: string };
    throw new Error(`PostgreSQL at ${new URL(databaseUrl).host}: ${message || code}`, { cause: error });
  } finally {
    await pool.end(); // releases the lock too
  }
}

async function hasRecords(pool: pg.Pool): Promise<boolean> {
  const { rows } = await pool.query("select to_regclass('_prisma_migrations') is not null as exists");
  return rows[0].exists;
}

async function finished(pool: pg.Pool): Promise<Set<string>> {
  if (!(await hasRecords(pool))) return new Set();
  const { rows } = await pool.query(
    'select migration_name as name from _prisma_migrations where finished_at is not null and rolled_back_at is null',
  );
  return new Set(rows.map(({ name }) => name));
}

async function readMigrations(folder: string): Promise<Migration[]> {
  const entries = await readdir(folder, { withFileTypes: true });
  const names = entries.filter((entry) => entry.isDirectory()).map((entry) => entry.name);
  return Promise.all(
    names.sort().map(async (name) => ({ name, sql: await readFile(join(folder, name, 'migration.sql'), 'utf8') })),
  );
}
