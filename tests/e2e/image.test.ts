import { randomBytes } from 'node:crypto';
import { existsSync, readdirSync } from 'node:fs';
import { join } from 'node:path';
import { execa } from 'execa';
import { freePort } from '../../tools/free-port.ts';
import { type Kafka, startKafka } from '../../tools/local/components/kafka.ts';
import { root } from '../../tools/paths.ts';
import { topology } from '../../tools/topology/topology.ts';
import { useFolder } from '../kit/folder.ts';
import { type Otlp, startOtlp } from '../kit/observability/otlp.ts';
import { queryOnce } from '../kit/postgres/database.ts';
import { until } from '../kit/until.ts';

// An image contains the files found by tracing imports. Running every process from only these files reveals a missing one.

const services = readdirSync(join(root, 'services')).filter((name) =>
  existsSync(join(root, 'services', name, 'dist/main.js')),
);

let kafka: Kafka;
let collector: Otlp;

beforeAll(async () => {
  collector = await startOtlp();
  // In one process, so that each file is parsed only once.
  await execa('node', ['tools/image/collect.ts', dir, ...services, 'toolbox'], {
    cwd: root,
    env: { NODE_OPTIONS: '' },
  });
  kafka = await startKafka({ dataDir: join(dir, 'kafka'), port: await freePort(), log: () => undefined });
}, 600_000);

afterAll(async () => {
  await kafka?.stop();
  await collector?.stop();
}, 60_000);
const dir = useFolder();

/** @returns the URL of a new, empty database */
async function createDatabase(name: string): Promise<string> {
  const url = new URL(process.env.TEST_DATABASE_URL ?? '');
  await queryOnce(url.href, `create database ${name}`);
  url.pathname = name;
  return url.href;
}

const called = ['ACCOUNT', 'PRODUCT', 'AUTH', 'ORDER', 'PAYMENT', 'INVENTORY', 'INVOICE', 'NOTIFICATION'];

/** The variables that any process of the store requires. */
const environment = {
  PATH: process.env.PATH,
  NODE_ENV: 'production',
  HOST: '127.0.0.1',
  DRAIN_SECONDS: '0',
  JWT_SECRET_KEY: randomBytes(32).toString('base64'),
  CONSUMER_GROUP: 'invoice-group',
  ...Object.fromEntries(called.map((name) => [`${name}_URL`, 'http://127.0.0.1:1'])),
  CONSOLE_TOKEN: randomBytes(32).toString('hex'),
  GROUPS: 'inventory',
  AUDITED: 'inventory',
  SERVICES: 'inventory=http://127.0.0.1:1',
  METRICS: 'inventory=http://127.0.0.1:1',
};

function start(cwd: string, args: string[], env: Record<string, string>) {
  return execa('node', args, { cwd, env: { ...environment, ...env }, extendEnv: false, all: true, reject: false });
}

/** Starts a process, waits until it is ready, requests the paths, and stops it. @returns the status of each path */
async function statuses(cwd: string, entry: string, env: Record<string, string>, paths: string[]) {
  const [port, metricsPort] = [await freePort(), await freePort()];
  const service = start(cwd, [entry], { ...env, PORT: String(port), METRICS_PORT: String(metricsPort) });
  const statusOf = async (path: string) => (await fetch(`http://127.0.0.1:${port}${path}`)).status;
  try {
    await until(`${entry} is ready`, async () => {
      if (service.exitCode !== null) throw new Error(`${entry} exited: ${(await service).all}`);
      return (await statusOf('/health/ready').catch(() => 0)) === 200;
    });
    return await Promise.all(paths.map(statusOf));
  } finally {
    service.kill();
    await service;
  }
}

it.each(services)('all processes of %s run from only the files of its image', async (service) => {
  const cwd = join(dir, service, 'services', service);
  const has = (entry: string) => existsSync(join(cwd, 'dist', entry));
  const env = { DATABASE_URL: await createDatabase(`image_${service}`), KAFKA_BROKERS: kafka.brokers.join() };
  const traced = {
    OTEL_SERVICE_NAME: `traced-${service}`,
    OTEL_EXPORTER_OTLP_ENDPOINT: collector.url,
    OTEL_BSP_SCHEDULE_DELAY: '100',
  };

  // The first start, on an empty database.
  const base = service === 'console' ? '/console' : '';
  const pages = ['/apidocs-ui/index.html', '/apidocs-ui/swagger-ui-bundle.js', '/v3/api-docs.yaml'].map(
    (path) => base + path,
  );
  // Loads the Kafka client, a CommonJS module of which Node detects only some exports.
  const letters = Object.values(topology.groups).some(({ image }) => image === service)
    ? ['/internal/dead-letters']
    : [];
  const paths = has('worker.js') ? pages : [...pages, ...letters];
  expect(await statuses(cwd, 'dist/main.js', { ...env, ...traced }, paths)).toEqual(paths.map(() => 200));
  await until('a span arrives', () => collector.spans.some((span) => span.service === `traced-${service}`));
  if (has('worker.js'))
    expect(await statuses(cwd, 'dist/worker.js', { ...env, ...traced }, letters)).toEqual(letters.map(() => 200));

  // The Job that creates topics.
  const commands = [['../shared/dist/messaging/create-topics.js']];
  if (has('import.js')) commands.push(['dist/import.js', '--help']);
  for (const args of commands) {
    const { exitCode, all } = await start(cwd, args, env);
    expect({ args, all, exitCode }).toMatchObject({ exitCode: 0 });
  }
});

it('the commands for operators run from only the files of the toolbox', async () => {
  const cwd = join(dir, 'toolbox');
  const flags = ['--conditions=@store/source', '--disable-warning=ExperimentalWarning', 'tools/toolbox/main.ts'];
  const store = async (...args: string[]) => {
    const { exitCode, all } = await start(cwd, [...flags, ...args], { IN_CLUSTER: 'true', HOME: dir });
    return { exitCode, all };
  };
  const help = await store('--help');
  expect(help).toMatchObject({ exitCode: 0 });
  const [, list = ''] = /Commands: (.+)\. Each/.exec(help.all) ?? [];
  const commands = list.split(', ');
  expect(commands.length).toBeGreaterThan(4);
  for (const command of commands)
    expect(await store(command, '--help')).toEqual({
      exitCode: 0,
      all: expect.stringContaining(`Usage: store ${command}`),
    });
  expect(await store('doctor')).toMatchObject({ exitCode: 1, all: expect.stringContaining('There is no cluster') });
  expect(await store('dlq')).toMatchObject({ exitCode: 1, all: expect.stringContaining('No service answers') });
  expect(await store('nonsense')).toMatchObject({ exitCode: 1, all: expect.stringContaining('There is no command') });
});
