import { readFile } from 'node:fs/promises';
import { createRequire } from 'node:module';
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

// Node cannot import `.wasm` files as modules yet, so the engine's own index does not load. This does its work.
const wasmFile = createRequire(import.meta.url)
  .resolve('@prisma/schema-engine-wasm/schema_engine_bg')
  .replace(/\.js$/, '.wasm');
const imports = Object.entries(engine).map(([name, own]) =>
  // The engine never clears its 10 s timer for the lock.
  name.startsWith('__wbg_setTimeout_')
    ? [name, (run: () => void, ms: number) => setTimeout(run, ms).unref()]
    : [name, own],
);
const { instance } = await WebAssembly.instantiate(await readFile(wasmFile), {
  './schema_engine_bg.js': Object.fromEntries(imports),
});
(engine as unknown as { __wbg_set_wasm(exports: unknown): void }).__wbg_set_wasm(instance.exports);
instance.exports.__wbindgen_start?.();

const filters = { externalTables: [], externalEnums: [] };

/**
 * Answers as `prisma migrate deploy` and `prisma migrate status` do, by the engine behind them. Prisma's packages lack its
 * native binary, and the server that has it is out of reach of tests.
 * @param migrations scripts by name
 */
export function prismaEngine(databaseUrl: string, migrations: Record<string, string>) {
  const migrationsList: engine.MigrationList = {
    baseDir: '/',
    lockfile: { path: 'migration_lock.toml', content: 'provider = "postgresql"\n' },
    shadowDbInitScript: '',
    migrationDirectories: Object.entries(migrations).map(([path, value]) => ({
      path,
      migrationFile: { path: 'migration.sql', content: { tag: 'ok', value } },
    })),
  };

  async function ask<T>(question: (engine: engine.SchemaEngine) => Promise<T>): Promise<T> {
    const pool = new pg.Pool({ connectionString: databaseUrl, max: 1 });
    const adapter = bindMigrationAwareSqlAdapterFactory(new PrismaPg(pool));
    const schemaEngine = await engine.SchemaEngine.new({ datamodels: undefined }, () => undefined, adapter);
    try {
      return await question(schemaEngine);
    } finally {
      schemaEngine.free();
      await pool.end();
    }
  }

  return {
    /** Returns the names of the migrations that were applied. */
    deploy: async () => (await ask((one) => one.applyMigrations({ migrationsList, filters }))).appliedMigrationNames,
    status: () => ask((one) => one.diagnoseMigrationHistory({ migrationsList, filters, optInToShadowDatabase: false })),
  };
}
