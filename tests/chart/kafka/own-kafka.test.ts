import { mkdir, mkdtemp, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { execa } from 'execa';
import { askAdmin } from '../../../services/shared/src/messaging/kafkajs/admin.ts';
import { storeTopics } from '../../../services/shared/src/messaging/topics.ts';
import { createLog } from '../../../services/shared/src/observability/log.ts';
import { renderObjects } from '../../../tools/chart/render.ts';
import { freePort } from '../../../tools/free-port.ts';
import { provideJava } from '../../../tools/local/downloads/java.ts';
import { provideKafka } from '../../../tools/local/downloads/kafka.ts';
import { until } from '../../kit/until.ts';

// The Kafka of a release without values: its manifests, and its program, run outside a container.

const elsewhere = { global: { kafka: { bootstrapServers: 'broker.test:9094,other.test:9095' } } };

let dir: string;
let port: number;
let PATH: string;

beforeAll(async () => {
  dir = await mkdtemp(join(tmpdir(), 'store-own-kafka-'));
  await mkdir(join(dir, 'kafka'));
  const controllerPort = await freePort();
  port = await freePort();
  PATH = `${await provideJava()}/bin:${process.env.PATH}`;
  const libs = join(await provideKafka(), 'libs');
  const { data } = (await renderObjects()).find(
    ({ kind, metadata }) => kind === 'ConfigMap' && metadata.name === 'kafka',
  );
  for (const [name, text] of Object.entries<string>(data)) {
    const local = text
      .replaceAll('/opt/kafka/libs', libs)
      .replaceAll('/kafka/data', join(dir, 'kafka/data'))
      .replaceAll('/config/', `${dir}/`)
      .replaceAll('//kafka:', '//127.0.0.1:')
      .replaceAll(':9092', `:${port}`)
      .replaceAll(':9093', `:${controllerPort}`);
    await writeFile(join(dir, name), local);
  }
});
afterAll(() => rm(dir, { recursive: true, force: true }));

const running: { kill(signal: 'SIGKILL'): unknown }[] = [];
afterEach(() => {
  for (const one of running) one.kill('SIGKILL'); // of a test that has failed
});

function start() {
  const kafka = execa('sh', [join(dir, 'start.sh')], { env: { PATH }, all: true, reject: false });
  running.push(kafka);
  return kafka;
}
const broker = () => ({ brokers: [`127.0.0.1:${port}`], clientId: 'test', log: createLog('test', 'silent') });
const listTopics = () => askAdmin(broker(), 5_000, (admin) => admin.listTopics());

it('keeps its topics over a restart', async () => {
  const topics = storeTopics({
    partitions: 2,
    replicas: 1,
    minInsyncReplicas: 1,
    retentionMs: 1_000_000,
    retentionBytes: -1,
  });
  const first = start();
  const create = () => askAdmin(broker(), 5_000, (admin) => admin.createTopics({ topics, waitForLeaders: true }));
  await until(() => 'Kafka takes topics', create, { timeoutMs: 100_000 });
  first.kill();
  // The exit code is Java's for SIGTERM.
  expect(await first).toMatchObject({ exitCode: 143, all: expect.stringContaining('Formatting') });

  const second = start();
  await until('the topics are there', async () => (await listTopics()).includes('order-events'), {
    timeoutMs: 100_000,
  });
  second.kill();
  expect((await second).all).not.toContain('Formatting');
}, 240_000);

it('is what the services connect to, and what they are allowed to reach', async () => {
  const all = await renderObjects();
  const named = (kind: string, name: string) => all.find((one) => one.kind === kind && one.metadata.name === name);
  const { spec } = named('StatefulSet', 'kafka');
  expect(named('Service', 'kafka').spec).toMatchObject({
    selector: spec.selector.matchLabels,
    ports: [{ port: 9092 }],
  });
  expect(spec.template.metadata.labels).toMatchObject(spec.selector.matchLabels);

  const job = all.find(({ kind, metadata }) => kind === 'Job' && metadata.name.startsWith('store-topics'));
  for (const { metadata, spec } of [job.spec.template, named('Deployment', 'payment').spec.template]) {
    expect(metadata.labels).toHaveProperty('calls/kafka', 'true');
    expect(spec.containers[0].env).toContainEqual({ name: 'KAFKA_BROKERS', value: 'kafka:9092' });
  }
  const rule = { to: [{ podSelector: spec.selector }], ports: [{ port: 9092 }] };
  for (const name of ['payment', 'store-jobs']) expect(named('NetworkPolicy', name).spec.egress).toContainEqual(rule);
  expect(named('NetworkPolicy', 'kafka').spec.ingress).toEqual([
    { from: [{ podSelector: { matchLabels: { 'calls/kafka': 'true' } } }], ports: [{ port: 'kafka' }] },
  ]);
});

it('is not there where another is named', async () => {
  const all = await renderObjects(elsewhere);
  expect(all.filter(({ metadata }) => metadata.name === 'kafka')).toEqual([]);
  const { egress } = all.find(({ kind, metadata }) => kind === 'NetworkPolicy' && metadata.name === 'payment').spec;
  expect(egress.at(-1).ports).toEqual([{ port: 9094 }, { port: 9095 }]);
});
