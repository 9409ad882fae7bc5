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

/** A folder of Prisma's migrations, and its script. */
export interface Migration {
  name: string;
  sql: string;
}

/** What is under way, or was when its process ended. */
export const unfinished = 'finished_at is null and rolled_back_at is null';

/**
 * Applies those migrations that are not booked yet.
 * @param baseDir where they were read, for messages
 * @returns the names of the migrations applied now
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
 * Prisma's adapter cuts a script at every semicolon, in functions, texts and comments too, and runs the pieces one
 * by one. Sent as a whole, PostgreSQL makes one transaction of it, and the migration is booked in the same one.
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
