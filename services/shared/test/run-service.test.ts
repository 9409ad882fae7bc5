import { once } from 'node:events';
import { createServer } from 'node:net';
import { createTcpProxy } from '../../../tests/kit/tcp-proxy.ts';
import { databaseUrl, get, killAll, readiness, start } from './_service.ts';

afterEach(killAll);

test('a running service is live and ready, serves metrics on their own port, and logs no probes', async () => {
  const service = await start();
  expect(await service.logged('Ready')).toMatchObject({ level: 'info', service: 'tiny', ports: [service.port] });
  expect(await service.get('/health/live')).toMatchObject({ status: 200, body: '{"status":"UP"}' });
  expect(await readiness(service)).toEqual({ status: 'UP' });
  expect(await service.get('/')).toMatchObject({ status: 200, body: 'hello' });
  expect(await service.get('/metrics')).toMatchObject({ body: 'hello' });
  expect(await get(service.metricsPort, '/metrics')).toMatchObject({
    status: 200,
    body: expect.stringContaining('process_cpu_seconds_total'),
  });
  expect((await get(service.metricsPort, '/health/live')).status).toBe(404);
  expect(service.lines()).toHaveLength(1);
});

test('a process that consumes no events does not load the client of Kafka', async () => {
  const service = await start();
  await service.logged('Ready');
  const { body } = await service.get('/loaded');
  expect(body).toContain('node_modules/pg/');
  expect(body).not.toContain('node_modules/kafkajs/');
});

test('an invalid configuration makes the service print every problem without values and exit with 1', async () => {
  const service = await start({
    OTEL_TRACES_SAMPLER_ARG: '2',
    OTEL_EXPORTER_OTLP_ENDPOINT: 'hidden',
    PORT: 'hidden',
    LOG_LEVEL: 'hidden',
    DATABASE_URL: 'mysql://hidden',
    GREETING: '',
  });
  expect(await service.exited).toBe(1);
  expect(service.output.out).toBe('');
  expect(service.output.err.split('\n')).toEqual([
    'tiny: Invalid configuration:',
    expect.stringMatching(/^ {2}LOG_LEVEL: /),
    expect.stringMatching(/^ {2}OTEL_EXPORTER_OTLP_ENDPOINT: /),
    expect.stringMatching(/^ {2}OTEL_TRACES_SAMPLER_ARG: /),
    '  PORT: must be a whole number',
    '  DATABASE_URL: must be postgresql://role:password@host:port/database, or file:///path of a file that holds it',
    '  GREETING is not set',
    '',
  ]);
  expect(service.output.err).not.toContain('hidden');
});

test('OpenTelemetry is loaded only with an OTLP endpoint, and an unreachable one does not delay the exit', async () => {
  const isTracing = (text: string) => /@opentelemetry.(sdk|exporter)/.test(text);
  const plain = await start();
  const traced = await start({ OTEL_EXPORTER_OTLP_ENDPOINT: 'http://127.0.0.1:1' });
  for (const service of [plain, traced]) await service.logged('Ready');
  expect(isTracing((await plain.get('/loaded')).body)).toBe(false);
  expect(isTracing((await traced.get('/loaded')).body)).toBe(true);
  traced.child.kill('SIGINT');
  expect(await traced.exited).toBe(0);
});

test('a service without its database is live, ready once it has migrated it, and then stays so', async () => {
  const proxy = await createTcpProxy(databaseUrl);
  await proxy.set('refuse');
  const service = await start({ DATABASE_URL: proxy.url });
  const waiting = await service.logged('Waiting for the database');
  expect(waiting).toMatchObject({ level: 'warn', reason: expect.stringContaining('ECONNREFUSED') });
  expect((await service.get('/health/live')).status).toBe(200);
  expect(await readiness(service)).toEqual({
    status: 'DOWN',
    waitingFor: ['starting', 'database'],
  });
  expect((await service.get('/health/ready')).status).toBe(503);

  await proxy.set('pass');
  await service.logged('Ready');
  expect((await service.get('/health/ready')).status).toBe(200);
  for (const mode of ['refuse', 'silent'] as const) {
    await proxy.set(mode);
    expect(await readiness(service)).toEqual({ status: 'UP' });
  }
  await proxy.close();
});

test('a permanent failure at startup makes the service log it and exit with 1', async () => {
  const service = await start({ START_ERROR: 'the job is broken' });
  expect(await service.exited).toBe(1);
  expect(service.lines()).toEqual([
    expect.objectContaining({ level: 'fatal', msg: 'Cannot start: the job is broken' }),
  ]);
});

test('a port in use makes the service log it and exit with 1', async () => {
  const other = createServer().listen(0, '127.0.0.1');
  await once(other, 'listening');
  const { port } = other.address() as { port: number };
  const service = await start({ PORT: String(port) });
  expect(await service.exited).toBe(1);
  expect(service.lines()).toEqual([expect.objectContaining({ level: 'fatal', port, code: 'EADDRINUSE' })]);
  other.close();
});
