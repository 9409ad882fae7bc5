// Runs in the pod of a service. Prints the migrations of its image that its database lacks.
import { readdir } from 'node:fs/promises';
import { createClient } from '@store/shared/database/connection';

const folder = await readdir('prisma/migrations', { withFileTypes: true });
const names = folder.filter((entry) => entry.isDirectory()).map(({ name }) => name);
const client = createClient({ connectionString: process.env.DATABASE_URL, connectionTimeoutMillis: 5_000 });
await client.connect();
const { rows } = await client
  .query('select migration_name from _prisma_migrations where finished_at is not null and rolled_back_at is null')
  .catch((error) => (error.code === '42P01' ? { rows: [] } : Promise.reject(error))); // no such table: none is applied
await client.end();
const applied = new Set(rows.map((row) => row.migration_name));
console.log(JSON.stringify({ count: names.length, missing: names.filter((name) => !applied.has(name)).sort() }));
