import { readdir, readFile } from 'node:fs/promises';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import type pg from 'pg';
import { createPool, describeFailure } from './connection.ts';
import type { Migration } from './schema-engine.ts';

/** Any constant: replicas of a service queue for this advisory lock. */
const migrationLock = 7_310_001;

/**
 * Applies the migrations of a folder in Prisma's format and records them in `_prisma_migrations`, like
 * `prisma migrate deploy`, but by the WebAssembly engine: images need no native binary. Replicas that start together
 * wait for one another; a repeated call applies nothing. A migration is applied and recorded in one transaction, so one
 * that failed or was interrupted left nothing behind and is retried.
 * @returns the names of the migrations that this call applied
 * @throws the database's error, with its host
 */
export async function migrate(databaseUrl: string, folder: URL): Promise<string[]> {
  // A single connection: the lock lasts as long as what it protects, even if this process is killed.
  const pool = createPool({
    connectionString: databaseUrl,
    max: 1,
    idleTimeoutMillis: 0,
    connectionTimeoutMillis: 5_000,
  });
  pool.on('error', () => undefined); // a lost connection fails the query in flight
  try {
    const migrations = await readMigrations(fileURLToPath(folder));
    const recorded = await finished(pool);
    if (migrations.every(({ name }) => recorded.has(name))) return [];
    // Most starts end here: the engine takes longer to load than the rest of a service.
    const { applyMigrations, unfinished } = await import('./schema-engine.ts');
    await pool.query('select pg_advisory_lock($1)', [migrationLock]);
    if (await hasRecords(pool))
      await pool.query(`update _prisma_migrations set rolled_back_at = now() where ${unfinished}`);
    return await applyMigrations(pool, fileURLToPath(folder), migrations);
  } catch (error) {
    throw new Error(describeFailure(databaseUrl, error), { cause: error });
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
