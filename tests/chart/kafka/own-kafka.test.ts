import { mkdir, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { execa } from 'execa';
import { askAdmin } from '../../../services/shared/src/messaging/kafka/admin.ts';
import { storeTopics } from '../../../services/shared/src/messaging/topics.ts';
import { createLog } from '../../../services/shared/src/observability/log.ts';
import { freePort } from '../../../tools/free-port.ts';
import { provideJava, provideKafka } from '../../../tools/local/downloads/java.mjs';
import { useFolder } from '../../kit/folder.ts';
import { until } from '../../kit/until.ts';
import { manifests } from '../_manifests.ts';

// The program of the Kafka in a release without values, run outside a container. tests/chart/golden/default.yaml shows who may reach it.

const dir = useFolder();
let port: number;
let PATH: string;

beforeAll(async () => {
  await mkdir(join(dir, 'kafka'));
  const controllerPort = await freePort();
  port = await freePort();
  PATH = `${await provideJava()}/bin:${process.env.PATH}`;
  const libs = join(await provideKafka(), 'libs');
  const { data } = (await manifests()).named('ConfigMap', 'kafka');
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

const running: { kill(signal: 'SIGKILL'): unknown }[] = [];
afterEach(() => {
  for (const one of running) one.kill('SIGKILL'); // left behind by a failed test
});

function start() {
  const kafka = execa('sh', [join(dir, 'start.sh')], { env: { PATH }, all: true, reject: false });
  running.push(kafka);
  return kafka;
}
const broker = () => ({ brokers: [`127.0.0.1:${port}`], clientId: 'test', log: createLog('test', 'silent') });
const listTopics = () => askAdmin(broker(), 5_000, (admin) => admin.listTopics());

describe('the Kafka of the release', () => {
  it('keeps its topics over a restart', async () => {
    const limits = { minInsyncReplicas: 1, retentionMs: 1_000_000, retentionBytes: -1 };
    const topics = storeTopics({ partitions: 2, replicas: 1, ...limits });
    const long = { timeoutMs: 100_000 };
    const first = start();
    const create = () => askAdmin(broker(), 5_000, (admin) => admin.createTopics({ topics, waitForLeaders: true }));
    await until('Kafka accepts topics', create, long);
    first.kill();
    // Java exits with this code on SIGTERM.
    expect(await first).toMatchObject({ exitCode: 143, all: expect.stringContaining('Formatting') });

    const second = start();
    await until('the topics are there', async () => (await listTopics()).includes('order-events'), long);
    second.kill();
    expect((await second).all).not.toContain('Formatting');
  }, 240_000);

  it('is left out if another Kafka is named', async () => {
    const bootstrapServers = 'broker.test:9094,other.test:9095';
    const { all, named } = await manifests({ global: { kafka: { bootstrapServers } } });
    expect(all.filter(({ metadata }) => metadata.name === 'kafka')).toEqual([]);
    const { egress } = named('NetworkPolicy', 'payment').spec;
    expect(egress.at(-1).ports).toEqual([{ port: 9094 }, { port: 9095 }]);
  });
});
