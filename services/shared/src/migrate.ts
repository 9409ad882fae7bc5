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
 * together wait for one another; a repeated call applies nothing.
 * @returns the names of the migrations applied now
 */
export async function migrate(databaseUrl: string, folder: URL): Promise<string[]> {
  const lock = new pg.Client({ connectionString: databaseUrl, connectionTimeoutMillis: 5_000 });
  lock.on('error', () => undefined); // a lost connection fails the query that waits on it
  await lock.connect();
  try {
    await lock.query('select pg_advisory_lock($1)', [migrationLock]);
    return await applyMigrations(databaseUrl, fileURLToPath(folder));
  } finally {
    await lock.end(); // releases the lock too
  }
}

async function applyMigrations(databaseUrl: string, baseDir: string): Promise<string[]> {
  // The engine locks within a session too: only the end of its connections frees that lock for the next copy.
  const pool = new pg.Pool({ connectionString: databaseUrl });
  const adapter = bindMigrationAwareSqlAdapterFactory(new PrismaPg(pool));
  const schemaEngine = await engine.SchemaEngine.new({ datamodels: undefined }, () => undefined, adapter);
  try {
    const { appliedMigrationNames } = await schemaEngine.applyMigrations({
      filters: { externalTables: [], externalEnums: [] },
      migrationsList: {
        baseDir,
        lockfile: { path: 'migration_lock.toml', content: 'provider = "postgresql"\n' },
        shadowDbInitScript: '',
        migrationDirectories: await readMigrations(baseDir),
      },
    });
    return appliedMigrationNames;
  } finally {
    schemaEngine.free();
    await pool.end();
  }
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
