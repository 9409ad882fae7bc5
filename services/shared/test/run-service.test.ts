import { once } from 'node:events';
import { mkdir, writeFile } from 'node:fs/promises';
import { createServer } from 'node:net';
import { join } from 'node:path';
import { pathToFileURL } from 'node:url';
import pg from 'pg';
import { useFolder } from '../../../tests/kit/folder.ts';
import { createTestDatabase } from '../../../tests/kit/postgres/database.ts';
import { createTcpProxy } from '../../../tests/kit/tcp-proxy.ts';
import { databaseUrl, killAll, start } from './_service.ts';

const folder = useFolder();
afterEach(killAll);

it('a running service is live and ready, serves metrics on their own port, and logs no probes', async () => {
  const service = await start();
  const { port } = new URL(service.url);
  expect(await service.logged('Ready')).toMatchObject({ level: 'info', service: 'tiny', ports: [Number(port)] });
  expect(await service.get('/health/live')).toMatchObject({ status: 200, body: '{"status":"UP"}' });
  expect(await service.readiness()).toEqual({ code: 200, status: 'UP' });
  expect(await service.get('/')).toMatchObject({ status: 200, body: 'hello' });
  expect(await service.get('/metrics')).toMatchObject({ body: 'hello' });
  expect(await service.metrics()).toContain('process_cpu_seconds_total');
  expect(service.lines()).toHaveLength(1);
});

it('an invalid configuration makes the service print every problem and exit with 1', async () => {
  const service = await start({ OTEL_TRACES_SAMPLER_ARG: '2', PORT: 'hidden', GREETING: '' });
  expect(await service.exited).toBe(1);
  expect(service.output).toEqual([
    'tiny: Invalid configuration:',
    expect.stringMatching(/^ {2}OTEL_TRACES_SAMPLER_ARG: /),
    '  PORT: must be a whole number',
    '  GREETING is not set',
  ]);
});

it('a service without events does not load the Kafka client, nor OpenTelemetry without an OTLP endpoint', async () => {
  const plain = await start();
  const traced = await start({ OTEL_EXPORTER_OTLP_ENDPOINT: 'http://127.0.0.1:1' });
  for (const service of [plain, traced]) await service.logged('Ready');
  const { body } = await plain.get('/loaded');
  expect(body).toContain('node_modules/pg/');
  expect(body).not.toMatch(/node_modules\/kafkajs\/|@opentelemetry.(sdk|exporter)/);
  expect((await traced.get('/loaded')).body).toMatch(/@opentelemetry.(sdk|exporter)/);
  // An unreachable endpoint does not delay the exit.
  traced.child.kill('SIGINT');
  expect(await traced.exited).toBe(0);
});

it('a service without its database is live, becomes ready once it has migrated it, and then stays ready', async () => {
  const proxy = await createTcpProxy(databaseUrl);
  await proxy.set('refuse');
  const service = await start({ DATABASE_URL: proxy.url });
  const waiting = await service.logged('Waiting for the database');
  expect(waiting).toMatchObject({ level: 'warn', reason: expect.stringContaining('ECONNREFUSED') });
  expect((await service.get('/health/live')).status).toBe(200);
  expect(await service.readiness()).toEqual({ code: 503, status: 'DOWN', waitingFor: ['starting', 'database'] });

  await proxy.set('pass');
  await service.logged('Ready');
  for (const mode of ['refuse', 'silent'] as const) {
    await proxy.set(mode);
    expect(await service.readiness()).toEqual({ code: 200, status: 'UP' });
  }
  await proxy.close();
});

it('a service whose migration waits for others reports it in its log, and in its metrics until it is applied', async () => {
  const database = await createTestDatabase('product');
  await mkdir(join(folder, '1_first'));
  await writeFile(join(folder, '1_first', 'migration.sql'), 'alter table products add column t text;');
  const reader = new pg.Client({ connectionString: database.url });
  await reader.connect();
  await reader.query('begin; select from products');
  const service = await start({ DATABASE_URL: database.url, MIGRATIONS: `${pathToFileURL(folder)}/` });
  await service.logged('A migration waits for others to be done with its tables');
  expect(await service.metrics()).toContain('\nmigration_waiting 1\n');
  expect(await service.readiness()).toMatchObject({ code: 503 });
  await reader.end();
  await service.logged('Ready');
  expect(await service.metrics()).toContain('\nmigration_waiting 0\n');
  killAll();
  await database.drop();
});

it('a permanent failure at startup makes the service log it and exit with 1', async () => {
  const service = await start({ START_ERROR: 'the job is broken' });
  expect(await service.exited).toBe(1);
  expect(service.lines()).toMatchObject([{ level: 'fatal', msg: 'Cannot start: the job is broken' }]);
});

it('a port in use makes the service log it and exit with 1', async () => {
  const other = createServer().listen(0, '127.0.0.1');
  await once(other, 'listening');
  const { port } = other.address() as { port: number };
  const service = await start({ PORT: String(port) });
  expect(await service.exited).toBe(1);
  expect(service.lines()).toMatchObject([{ level: 'fatal', port, code: 'EADDRINUSE' }]);
  other.close();
});
