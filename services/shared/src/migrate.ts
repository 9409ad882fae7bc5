import { readdir, readFile } from 'node:fs/promises';
import { createRequire } from 'node:module';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { PrismaPg } from '@prisma/adapter-pg';
import { bindMigrationAwareSqlAdapterFactory } from '@prisma/driver-adapter-utils';
import * as engine from '@prisma/schema-engine-wasm/schema_engine_bg';
import pg from 'pg';

// The types of Node 20 leave WebAssembly out.
declare const WebAssembly: {
  instantiate(
    code: Uint8Array,
    imports: Record<string, unknown>,
  ): Promise<{ instance: { exports: Record<string, () => void> } }>;
};

// Node cannot import a `.wasm` file as a module yet, so the engine's own index does not load: what it does is done here.
const wasmFile = createRequire(import.meta.url)
  .resolve('@prisma/schema-engine-wasm/schema_engine_bg')
  .replace(/\.js$/, '.wasm');
const imports = Object.entries(engine).map(([name, own]) =>
  // Its timer of 10 s for the lock is never cleared and would keep a short process from ending.
  name.startsWith('__wbg_setTimeout_')
    ? [name, (run: () => void, ms: number) => setTimeout(run, ms).unref()]
    : [name, own],
);
const { instance } = await WebAssembly.instantiate(await readFile(wasmFile), {
  './schema_engine_bg.js': Object.fromEntries(imports),
});
(engine as unknown as { __wbg_set_wasm(exports: unknown): void }).__wbg_set_wasm(instance.exports);
instance.exports.__wbindgen_start?.();

/** Any constant: the same in every copy of a service, so that they queue for it. */
const migrationLock = 7_310_001;

/**
 * Applies the migrations of a folder in Prisma's format and books them in `_prisma_migrations`, like
 * `prisma migrate deploy`, but with the WebAssembly engine: the image needs no native binary. Copies that start
 * together wait for one another; a repeated call applies nothing. A migration is applied and booked in one
 * transaction, so one that failed or was cut off left nothing behind and is tried again.
 * @returns the names of the migrations applied now
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
    await pool.query('select pg_advisory_lock($1)', [migrationLock]);
    await forgetUnfinished(pool);
    return await applyMigrations(pool, fileURLToPath(folder));
  } finally {
    await pool.end(); // releases the lock too
  }
}

const unfinished = 'finished_at is null and rolled_back_at is null';

async function forgetUnfinished(pool: pg.Pool): Promise<void> {
  const { rows } = await pool.query("select to_regclass('_prisma_migrations') is not null as exists");
  if (rows[0].exists) await pool.query(`update _prisma_migrations set rolled_back_at = now() where ${unfinished}`);
}

async function applyMigrations(pool: pg.Pool, baseDir: string): Promise<string[]> {
  const migrationDirectories = await readMigrations(baseDir);
  const scripts = new Set(migrationDirectories.map(({ migrationFile }) => migrationFile.content.value));
  const adapter = bindMigrationAwareSqlAdapterFactory(adapterOf(pool, scripts));
  const schemaEngine = await engine.SchemaEngine.new({ datamodels: undefined }, () => undefined, adapter);
  try {
    const { appliedMigrationNames } = await schemaEngine.applyMigrations({
      filters: { externalTables: [], externalEnums: [] },
      migrationsList: {
        baseDir,
        lockfile: { path: 'migration_lock.toml', content: 'provider = "postgresql"\n' },
        shadowDbInitScript: '',
        migrationDirectories,
      },
    });
    return appliedMigrationNames;
  } finally {
    schemaEngine.free();
  }
}

/**
 * Prisma's adapter cuts a script at every semicolon, in functions, texts and comments too, and runs the pieces one
 * by one. Sent as a whole, PostgreSQL makes one transaction of it, and the migration is booked in the same one.
 */
function adapterOf(pool: pg.Pool, migrations: ReadonlySet<string>): PrismaPg {
  const factory = new PrismaPg(pool);
  const connect = factory.connect.bind(factory);
  factory.connect = async () => {
    const adapter = await connect();
    adapter.executeScript = async (script) => {
      const booking = `\n;update _prisma_migrations set finished_at = now() where ${unfinished}`;
      const sql = migrations.has(script) ? script + booking : script;
      await adapter.executeRaw({ sql, args: [], argTypes: [] });
    };
    return adapter;
  };
  return factory;
}

async function readMigrations(baseDir: string) {
  const entries = await readdir(baseDir, { withFileTypes: true });
  const names = entries.filter((entry) => entry.isDirectory()).map((entry) => entry.name);
  return Promise.all(
    names.sort().map(async (path) => ({
      path,
      migrationFile: {
        path: 'migration.sql',
        content: { tag: 'ok' as const, value: await readFile(join(baseDir, path, 'migration.sql'), 'utf8') },
      },
    })),
  );
}
