import { createHash } from 'node:crypto';
import { readdir, readFile } from 'node:fs/promises';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import type pg from 'pg';
import { retry, sleep } from '../values/time.ts';
import { createClient, describeFailure } from './connection.ts';

/** An arbitrary constant. Replicas of a service take turns with this advisory lock, and the chart's backup.sh waits for its release. */
const migrationLock = 7_310_001;
/** A statement that waits for a table lock blocks all later readers of the table, so it must not wait long. */
const lockTimeoutMs = 1_500;
const pauses = { firstMs: 500, maxMs: 5_000 };
const lockNotAvailable = '55P03';

interface Migration {
  name: string;
  sql: string;
}

type OnWait = (waiting: { migration: string; failures: number }) => void;

/**
 * Applies the migrations of a folder in Prisma's format and records them in `_prisma_migrations` as
 * `prisma migrate deploy` does, but without its native binary. Replicas that start together wait for each other; a
 * repeated call applies nothing. If a table is in use, its migration steps aside (calling `onWait`) and tries again.
 * @returns the names of the migrations that this call applied
 * @throws the database's error, with its host
 */
export async function migrate(databaseUrl: string, folder: URL, onWait: OnWait = () => undefined): Promise<string[]> {
  // One connection for lock and work: if this process is killed, both end together.
  const client = createClient({ connectionString: databaseUrl, connectionTimeoutMillis: 5_000 });
  client.on('error', () => undefined); // a lost connection fails the query in flight
  try {
    await client.connect();
    const migrations = await readMigrations(fileURLToPath(folder));
    // Without the lock: most starts end here.
    if ((await findDue(client, migrations)).length === 0) return [];
    await takeTurn(client);
    await client.query(createRecords);
    // Earlier releases and Prisma record the start of a migration before they apply it.
    await client.query(
      'update _prisma_migrations set rolled_back_at = now() where finished_at is null and rolled_back_at is null',
    );
    const due = await findDue(client, migrations);
    for (const migration of due) await applyAside(client, migration, onWait);
    return due.map(({ name }) => name);
  } catch (error) {
    throw new Error(describeFailure(databaseUrl, error), { cause: error });
  } finally {
    await client.end(); // also releases the lock
  }
}

/** Prisma's own statement. */
const createRecords = `create table if not exists _prisma_migrations (
  id varchar(36) primary key not null,
  checksum varchar(64) not null,
  finished_at timestamptz,
  migration_name varchar(255) not null,
  logs text,
  rolled_back_at timestamptz,
  started_at timestamptz not null default now(),
  applied_steps_count integer not null default 0
)`;

/** Polls, because CREATE INDEX CONCURRENTLY would wait for a statement of another replica that waits for the lock. */
async function takeTurn(client: pg.Client): Promise<void> {
  const isTaken = async () => {
    const { rows } = await client.query('select pg_try_advisory_lock($1) as taken', [migrationLock]);
    return rows[0].taken === true;
  };
  while (!(await isTaken())) await sleep(250);
}

async function applyAside(client: pg.Client, migration: Migration, onWait: OnWait): Promise<void> {
  await retry(
    () => apply(client, migration),
    pauses,
    async (error, failures) => {
      await client.query('rollback').catch(() => undefined); // fails on a broken connection
      const { message, code } = error as pg.DatabaseError;
      if (code !== lockNotAvailable) throw new Error(`${message} (migration ${migration.name})`, { cause: error });
      onWait({ migration: migration.name, failures });
    },
  );
}

/**
 * Applies and records a migration in one transaction, so that nothing is left if it fails or is interrupted. A migration
 * with CONCURRENTLY, which no transaction may contain, runs statement by statement: it must begin by removing the
 * remains of an interrupted attempt.
 */
async function apply(client: pg.Client, { name, sql }: Migration): Promise<void> {
  const isConcurrent = /\bconcurrently\b/i.test(sql);
  // A concurrent statement may wait, since it blocks nobody.
  await client.query(`set lock_timeout = ${isConcurrent ? 0 : lockTimeoutMs}`);
  if (isConcurrent) for (const statement of sql.split(/;\s*$/m)) await client.query(statement);
  await client.query('begin');
  if (!isConcurrent) await client.query(sql);
  await client.query(
    `insert into _prisma_migrations (id, checksum, migration_name, finished_at, applied_steps_count)
     values (gen_random_uuid(), $1, $2, clock_timestamp(), 1)`,
    [createHash('sha256').update(sql).digest('hex'), name],
  );
  await client.query('commit');
}

async function findDue(client: pg.Client, migrations: Migration[]): Promise<Migration[]> {
  const { rows: tables } = await client.query("select to_regclass('_prisma_migrations') is not null as exists");
  if (!tables[0].exists) return migrations;
  const { rows } = await client.query(
    'select migration_name as name from _prisma_migrations where finished_at is not null and rolled_back_at is null',
  );
  const recorded = new Set(rows.map(({ name }) => name));
  return migrations.filter(({ name }) => !recorded.has(name));
}

async function readMigrations(folder: string): Promise<Migration[]> {
  const entries = await readdir(folder, { withFileTypes: true });
  const names = entries.filter((entry) => entry.isDirectory()).map((entry) => entry.name);
  return Promise.all(
    names.sort().map(async (name) => ({ name, sql: await readFile(join(folder, name, 'migration.sql'), 'utf8') })),
  );
}
