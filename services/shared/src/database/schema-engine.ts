import { readFile } from 'node:fs/promises';
import { createRequire } from 'node:module';
import { PrismaPg } from '@prisma/adapter-pg';
import { bindMigrationAwareSqlAdapterFactory } from '@prisma/driver-adapter-utils';
import * as engine from '@prisma/schema-engine-wasm/schema_engine_bg';
import type pg from 'pg';

// The types of Node 20 leave WebAssembly out.
declare const WebAssembly: {
  instantiate(
    code: Uint8Array,
    imports: Record<string, unknown>,
  ): Promise<{ instance: { exports: Record<string, () => void> } }>;
};

// Node cannot import `.wasm` files as modules yet, so the engine's own index does not load. This does its work.
const wasmFile = createRequire(import.meta.url)
  .resolve('@prisma/schema-engine-wasm/schema_engine_bg')
  .replace(/\.js$/, '.wasm');
const imports = Object.entries(engine).map(([name, own]) =>
  // The engine never clears its 10 s timer for the lock, which would keep a short process alive.
  name.startsWith('__wbg_setTimeout_')
    ? [name, (run: () => void, ms: number) => setTimeout(run, ms).unref()]
    : [name, own],
);
const { instance } = await WebAssembly.instantiate(await readFile(wasmFile), {
  './schema_engine_bg.js': Object.fromEntries(imports),
});
(engine as unknown as { __wbg_set_wasm(exports: unknown): void }).__wbg_set_wasm(instance.exports);
instance.exports.__wbindgen_start?.();

/** A folder of Prisma's migrations, and its script. */
export interface Migration {
  name: string;
  sql: string;
}

/** Migrations in progress, or interrupted by the end of their process. */
export const unfinished = 'finished_at is null and rolled_back_at is null';

/**
 * Applies the migrations that are not recorded yet.
 * @param baseDir where they were read from, for messages
 * @returns the names of the migrations that this call applied
 */
export async function applyMigrations(pool: pg.Pool, baseDir: string, migrations: Migration[]): Promise<string[]> {
  const adapter = bindMigrationAwareSqlAdapterFactory(adapterOf(pool, new Set(migrations.map(({ sql }) => sql))));
  const schemaEngine = await engine.SchemaEngine.new({ datamodels: undefined }, () => undefined, adapter);
  try {
    const { appliedMigrationNames } = await schemaEngine.applyMigrations({
      filters: { externalTables: [], externalEnums: [] },
      migrationsList: {
        baseDir,
        lockfile: { path: 'migration_lock.toml', content: 'provider = "postgresql"\n' },
        shadowDbInitScript: '',
        migrationDirectories: migrations.map(({ name, sql }) => ({
          path: name,
          migrationFile: { path: 'migration.sql', content: { tag: 'ok' as const, value: sql } },
        })),
      },
    });
    return appliedMigrationNames;
  } finally {
    schemaEngine.free();
  }
}

/**
 * Prisma's adapter splits a script at every semicolon, even in functions, strings and comments, and runs the pieces one
 * by one. Sent as a whole, PostgreSQL runs it in one transaction, in which the migration is recorded as well.
 */
function adapterOf(pool: pg.Pool, migrations: ReadonlySet<string>): PrismaPg {
  const factory = new PrismaPg(pool);
  const connect = factory.connect.bind(factory);
  factory.connect = async () => {
    const adapter = await connect();
    adapter.executeScript = async (script) => {
      const record = `\n;update _prisma_migrations set finished_at = now() where ${unfinished}`;
      const sql = migrations.has(script) ? script + record : script;
      await adapter.executeRaw({ sql, args: [], argTypes: [] });
    };
    return adapter;
  };
  return factory;
}
