import { type ChildProcess, spawn } from 'node:child_process';
import { once } from 'node:events';
import { Agent, type IncomingMessage, request } from 'node:http';
import { createServer } from 'node:net';
import { text } from 'node:stream/consumers';
import { setTimeout as wait } from 'node:timers/promises';
import { fileURLToPath } from 'node:url';
import getPort from 'get-port';
import { createTcpProxy } from '../../../tests/kit/tcp-proxy.ts';

const databaseUrl = process.env.TEST_DATABASE_URL ?? '';
const children: ChildProcess[] = [];

afterEach(() => {
  for (const child of children.splice(0)) child.kill('SIGKILL');
});

/** The tiny service in a process of its own. */
async function start(env: Record<string, string> = {}) {
  const [port, metricsPort] = [await getPort(), await getPort()];
  const child = spawn(
    process.execPath,
    ['--import', 'tsx', fileURLToPath(new URL('_tiny-service.ts', import.meta.url))],
    {
      env: {
        PATH: process.env.PATH,
        HOST: '127.0.0.1',
        PORT: String(port),
        METRICS_PORT: String(metricsPort),
        DRAIN_SECONDS: '1',
        GREETING: 'hello',
        DATABASE_URL: databaseUrl,
        ...env,
      },
    },
  );
  children.push(child);
  const output = { out: '', err: '' };
  child.stdout.on('data', (chunk) => {
    output.out += chunk;
  });
  child.stderr.on('data', (chunk) => {
    output.err += chunk;
  });
  const exited = once(child, 'close').then(([code]) => code);
  const lines = (): Record<string, unknown>[] =>
    output.out
      .split('\n')
      .filter(Boolean)
      .map((line) => JSON.parse(line));
  return {
    child,
    port,
    metricsPort,
    output,
    exited,
    lines,
    said: (message: string) =>
      until(
        () => lines().find(({ msg }) => String(msg).startsWith(message)),
        () => JSON.stringify(output),
      ),
    get: (path: string, agent?: Agent) => get(port, path, agent),
  };
}

async function until<T>(find: () => Promise<T> | T, why: () => string): Promise<NonNullable<T>> {
  for (const end = Date.now() + 20_000; Date.now() < end; await wait(20)) {
    const found = await find();
    if (found) return found;
  }
  throw new Error(`It did not come to it: ${why()}`);
}

function open(port: number, path: string, agent?: Agent): Promise<IncomingMessage> {
  return new Promise((resolve, reject) => {
    request({ host: '127.0.0.1', port, path, agent: agent ?? false }, resolve)
      .on('error', reject)
      .end();
  });
}

async function get(port: number, path: string, agent?: Agent) {
  const response = await open(port, path, agent);
  return { status: response.statusCode, headers: response.headers, body: await text(response) };
}

const readiness = async (service: { get(path: string): ReturnType<typeof get> }) => {
  const { status, body } = await service.get('/health/ready');
  return { status, ...JSON.parse(body) };
};

it('is alive and ready, has metrics on a port of its own, and logs no probe', async () => {
  const service = await start();
  expect(await service.said('Ready')).toMatchObject({ level: 'info', service: 'tiny', ports: [service.port] });
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

it('prints every problem of its configuration, no value, and exits 1', async () => {
  const service = await start({
    ...{ OTEL_TRACES_SAMPLER_ARG: '2', OTEL_EXPORTER_OTLP_ENDPOINT: 'hidden' },
    PORT: 'hidden',
    LOG_LEVEL: 'hidden',
    DATABASE_URL: 'mysql://hidden',
    GREETING: '',
  });
  expect(await service.exited).toBe(1);
  expect(service.output.out).toBe('');
  expect(service.output.err.split('\n')).toEqual([
    'tiny: The configuration is wrong:',
    '  PORT: must be a whole number',
    expect.stringMatching(/^ {2}LOG_LEVEL: /),
    expect.stringMatching(/^ {2}OTEL_EXPORTER_OTLP_ENDPOINT: /),
    expect.stringMatching(/^ {2}OTEL_TRACES_SAMPLER_ARG: /),
    '  DATABASE_URL: must be postgresql://role:password@host:port/database',
    '  GREETING is not set',
    '',
  ]);
  expect(service.output.err).not.toContain('hidden');
});

it('on SIGTERM is not ready, still answers, finishes what is under way, closes, and exits 0', async () => {
  const service = await start();
  await service.said('Ready');
  const agent = new Agent({ keepAlive: true });
  const idle = new Agent({ keepAlive: true });
  await service.get('/', idle); // a connection that lies open, as the gateway keeps them
  const slow = await open(service.port, '/slow', agent); // its head has come, so it is under way

  service.child.kill('SIGTERM');
  await service.said('Stopping');
  expect(await readiness(service)).toEqual({ status: 'DOWN', waitingFor: ['stopping'] });
  expect((await service.get('/health/live')).status).toBe(200);
  const late = await service.get('/', idle);
  expect({ status: late.status, connection: late.headers.connection }).toEqual({ status: 200, connection: 'close' });
  service.child.kill('SIGTERM'); // a second one changes nothing
  service.child.kill('SIGUSR2');
  expect(await text(slow)).toBe('halfhello');
  expect(await service.exited).toBe(0);
  const messages = service.lines().map(({ msg }) => msg);
  expect(messages.slice(0, 3)).toEqual(['Ready', 'Stopping', 'Answered']);
  // Lines are written in the background, so the last ones come in any order.
  expect(messages.slice(3).sort()).toEqual(['Closed what was opened first', 'Could not be closed', 'Stopped']);
  await expect(service.get('/')).rejects.toThrow(/ECONNREFUSED/);
  agent.destroy();
  idle.destroy();
});

it('waits for a request that is slower than the draining, takes no new one, and ends right after it', async () => {
  const service = await start({ DRAIN_SECONDS: '0' });
  await service.said('Ready');
  const agent = new Agent({ keepAlive: true });
  const slow = await open(service.port, '/slow', agent);
  service.child.kill('SIGTERM');
  const isClosed = () =>
    service.get('/').then(
      () => false,
      () => true,
    );
  await until(isClosed, () => 'the port is still open');
  expect(service.child.exitCode).toBeNull();
  service.child.kill('SIGUSR2');
  expect(await text(slow)).toBe('halfhello');
  // Its connection would be kept alive; what is still open after 15 s is cut off, which must not be waited for.
  expect(await Promise.race([service.exited, wait(10_000)])).toBe(0);
  agent.destroy();
});

it('loads what makes traces only where they go somewhere, and ends in time where nobody is there', async () => {
  const isTracing = (text: string) => /@opentelemetry.(sdk|exporter)/.test(text);
  const plain = await start();
  const traced = await start({ OTEL_EXPORTER_OTLP_ENDPOINT: 'http://127.0.0.1:1' });
  for (const service of [plain, traced]) await service.said('Ready');
  expect(isTracing((await plain.get('/loaded')).body)).toBe(false);
  expect(isTracing((await traced.get('/loaded')).body)).toBe(true);
  traced.child.kill('SIGINT');
  expect(await traced.exited).toBe(0);
});

it('on SIGINT ends at once', async () => {
  const service = await start({ DRAIN_SECONDS: '300' });
  await service.said('Ready');
  service.child.kill('SIGINT');
  expect(await service.exited).toBe(0);
});

it('without its database is alive, not ready, says why, and becomes ready when it comes', async () => {
  const proxy = await createTcpProxy(databaseUrl);
  await proxy.close();
  const service = await start({ DATABASE_URL: proxy.url });
  const waiting = await service.said('Waiting for what is needed to start');
  expect(waiting).toMatchObject({ level: 'warn', reason: expect.stringContaining('ECONNREFUSED') });
  expect((await service.get('/health/live')).status).toBe(200);
  expect(await readiness(service)).toEqual({
    status: 'DOWN',
    waitingFor: expect.arrayContaining(['starting', 'database']),
  });
  expect((await service.get('/health/ready')).status).toBe(503);

  await proxy.open();
  await service.said('Ready');
  expect((await service.get('/health/ready')).status).toBe(200);
  await proxy.close();
  expect(await readiness(service)).toEqual({ status: 'DOWN', waitingFor: ['database'] });
  expect((await service.get('/health/live')).status).toBe(200);
  await proxy.openSilent();
  expect(await readiness(service)).toEqual({ status: 'DOWN', waitingFor: ['database'] });
  await proxy.close();
  await proxy.open();
  expect(await readiness(service)).toEqual({ status: 'UP' });
  await proxy.close();
});

it('that is stopped while it waits for its database ends with 0 and never says that it is ready', async () => {
  const service = await start({ DATABASE_URL: 'postgresql://x:y@127.0.0.1:1/z', DRAIN_SECONDS: '1' });
  await service.said('Waiting');
  service.child.kill('SIGTERM');
  expect(await service.exited).toBe(0);
  expect(service.lines().filter(({ msg }) => msg === 'Ready')).toEqual([]);
});

it('that cannot start for a reason that stays says it and exits 1', async () => {
  const service = await start({ PREPARE: 'the migration is broken' });
  expect(await service.exited).toBe(1);
  expect(service.lines()).toEqual([
    expect.objectContaining({ level: 'fatal', msg: 'Cannot start: the migration is broken' }),
  ]);
});

it('names a port that is taken and exits 1', async () => {
  const other = createServer().listen(0, '127.0.0.1');
  await once(other, 'listening');
  const { port } = other.address() as { port: number };
  const service = await start({ PORT: String(port) });
  expect(await service.exited).toBe(1);
  expect(service.lines()).toEqual([expect.objectContaining({ level: 'fatal', port, code: 'EADDRINUSE' })]);
  other.close();
});

it('ends with 1 and a line when something fails unnoticed', async () => {
  const service = await start();
  await service.said('Ready');
  await service.get('/crash');
  expect(await service.exited).toBe(1);
  expect(service.lines().at(-1)).toMatchObject({ level: 'fatal', err: { message: 'crashed' } });
});

it('a check that throws or never ends makes it not ready, and no more', async () => {
  const service = await start({ GREETING: 'careless' });
  await service.said('Ready');
  const { status, waitingFor } = await readiness(service);
  expect({ status, waitingFor: waitingFor.sort() }).toEqual({ status: 'DOWN', waitingFor: ['careless', 'endless'] });
  expect((await service.get('/health/live')).status).toBe(200);
});
