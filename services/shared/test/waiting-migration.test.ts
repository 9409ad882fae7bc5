import { mkdir, mkdtemp, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { pathToFileURL } from 'node:url';
import pg from 'pg';
import { queryOnce } from '../../../tests/kit/postgres/database.ts';
import { databaseUrl, get, killAll, start } from './_service.ts';

const url = new URL(databaseUrl);
url.pathname = '/waiting_migration';
let folder: string;

beforeAll(async () => {
  await queryOnce(databaseUrl, 'create database waiting_migration');
  await queryOnce(url.href, 'create table a (n int)');
  folder = await mkdtemp(join(tmpdir(), 'waiting-migration-'));
  await mkdir(join(folder, '1_first'));
  await writeFile(join(folder, '1_first', 'migration.sql'), 'alter table a add column t text;');
});

afterAll(async () => {
  killAll();
  await queryOnce(databaseUrl, 'drop database waiting_migration with (force)');
  await rm(folder, { recursive: true });
});

test('a service whose migration waits for others says so in its log and its metrics, until it is applied', async () => {
  const reader = new pg.Client({ connectionString: url.href });
  await reader.connect();
  await reader.query('begin');
  await reader.query('select from a');
  const service = await start({ DATABASE_URL: url.href, MIGRATIONS: `${pathToFileURL(folder)}/` });
  const metrics = async () => (await get(service.metricsPort, '/metrics')).body;
  await service.logged('A migration waits for others to be done with its tables');
  expect(await metrics()).toContain('\nmigration_waiting 1\n');
  expect((await service.get('/health/ready')).status).toBe(503);
  await reader.end();
  await service.logged('Ready');
  expect(await metrics()).toContain('\nmigration_waiting 0\n');
});
