import { createHash, randomBytes } from 'node:crypto';
import { mkdir, readFile, rm, writeFile } from 'node:fs/promises';
import { basename, dirname, join } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import { storeTopics } from '@store/shared/messaging/topics';
import { execa } from 'execa';
import getPort from 'get-port';
import { Kafka as Client, logLevel } from 'kafkajs';
import { root } from '../../paths.ts';
import { findOnPath, outputOf, provide } from '../downloads/provide-tool.ts';
import { type SupervisedProcess, startProcess } from './supervised-process.ts';

export interface Kafka extends SupervisedProcess {
  brokers: string[];
}

export interface KafkaOptions {
  dataDir: string;
  port: number;
  /** Default: any free one. */
  controllerPort?: number;
  log: (line: string) => void;
  /** Default: log, beside dataDir. */
  logDir?: string;
  signal?: AbortSignal;
}

const VERSION = '4.3.1';
const MAVEN = '3.9.11';
const MAVEN_SHA512 =
  'bcfe4fe305c962ace56ac7b5fc7a08b87d5abd8b7e89027ab251069faebee516b0ded8961445d6d91ec1985dfe30f8153268843c89aa392733d1a3ec956c9978';

const topics = storeTopics({ partitions: 6, replicas: 1, minInsyncReplicas: 1, retentionMs: 604_800_000 });

/** One Kafka node that is broker and controller, on 127.0.0.1 only. */
export async function startKafka(options: KafkaOptions): Promise<Kafka> {
  const { dataDir, port, log, logDir = join(dirname(dataDir), 'log'), signal } = options;
  const controllerPort = options.controllerPort ?? (await getPort());
  const java = process.env.JAVA_HOME ? join(process.env.JAVA_HOME, 'bin', 'java') : 'java';
  const classpath = join(await provideKafka(), 'libs', '*');
  const brokers = [`127.0.0.1:${port}`];

  const configFile = `${dataDir}.properties`;
  await mkdir(dataDir, { recursive: true });
  await writeFile(configFile, configuration({ dataDir, port, controllerPort }));
  await format({ dataDir, configFile, java, classpath });

  const client = new Client({ brokers, clientId: 'local-run', logLevel: logLevel.NOTHING, retry: { retries: 0 } });
  const component = await startProcess({
    name: 'kafka',
    command: java,
    args: [
      '-Xms128m',
      '-Xmx384m',
      '-XX:+UseSerialGC',
      '-XX:TieredStopAtLevel=1', // compiles with less effort: ready in two thirds of the time
      '-Dlog4j2.level=INFO',
      '-cp',
      classpath,
      'kafka.Kafka',
      configFile,
    ],
    logDir,
    log,
    signal,
    ready: () => asAdmin(client, async (admin) => (await admin.describeCluster()).brokers.length === 1),
    stopSeconds: 20,
  });
  try {
    await createTopics(client);
  } catch (error) {
    await component.stop();
    throw error;
  }
  return { ...component, brokers };
}

/** Asked again when there is no answer: a broker that has just started may drop a request without a word. */
async function createTopics(client: Client): Promise<void> {
  for (let attempt = 1; attempt <= 5; attempt += 1) {
    const created = asAdmin(client, (admin) => admin.createTopics({ topics, waitForLeaders: true })).then(() => true);
    if (await Promise.race([created, sleep(5_000, false, { ref: false })])) return;
  }
  throw new Error('Kafka runs, but does not answer to the creation of its topics.');
}

function configuration({ dataDir, port, controllerPort }: { dataDir: string; port: number; controllerPort: number }) {
  return `process.roles=broker,controller
node.id=1
controller.quorum.voters=1@127.0.0.1:${controllerPort}
listeners=PLAINTEXT://127.0.0.1:${port},CONTROLLER://127.0.0.1:${controllerPort}
advertised.listeners=PLAINTEXT://127.0.0.1:${port}
listener.security.protocol.map=PLAINTEXT:PLAINTEXT,CONTROLLER:PLAINTEXT
controller.listener.names=CONTROLLER
inter.broker.listener.name=PLAINTEXT
log.dirs=${dataDir}
auto.create.topics.enable=false
group.initial.rebalance.delay.ms=0
offsets.topic.num.partitions=4
offsets.topic.replication.factor=1
transaction.state.log.num.partitions=4
transaction.state.log.replication.factor=1
transaction.state.log.min.isr=1
share.coordinator.state.topic.num.partitions=4
share.coordinator.state.topic.replication.factor=1
share.coordinator.state.topic.min.isr=1
log.cleaner.dedupe.buffer.size=16777216
`;
}

/** Writes the cluster id into a new data directory; an old one stays as it is. */
async function format(options: {
  dataDir: string;
  configFile: string;
  java: string;
  classpath: string;
}): Promise<void> {
  const { dataDir, configFile, java, classpath } = options;
  const done = await readFile(join(dataDir, 'meta.properties')).catch(() => undefined);
  if (done) return;
  const clusterId = `s${randomBytes(16).toString('base64url').slice(1)}`; // must not start with a dash
  await execa(java, ['-cp', classpath, 'kafka.tools.StorageTool', 'format', '-t', clusterId, '-c', configFile]);
}

async function asAdmin<T>(client: Client, use: (admin: ReturnType<Client['admin']>) => Promise<T>): Promise<T> {
  const admin = client.admin();
  try {
    await admin.connect();
    return await use(admin);
  } finally {
    // It waits for requests under way, and has been seen to wait for ever.
    await Promise.race([admin.disconnect(), sleep(2_000, undefined, { ref: false })]);
  }
}

/** A folder with Kafka's jars below libs/. */
export function provideKafka(): Promise<string> {
  return provide({
    name: `kafka-${VERSION}`,
    variable: 'KAFKA_HOME',
    fetch: {
      file: '.',
      saying: `fetches Kafka ${VERSION} from Maven Central (54 MB)`,
      into: async (dir) => {
        const goal = 'org.apache.maven.plugins:maven-dependency-plugin:3.8.1:copy-dependencies';
        const pom = join(root, 'tools/local/downloads/kafka.pom.xml');
        await execa(await provideMaven(), ['-B', '-f', pom, goal, `-DoutputDirectory=${join(dir, 'libs')}`]);
      },
    },
  });
}

/** jgo, of PyPI, knows Maven Central's layout: so Maven is had where there is only Python. */
const fetchMaven = `
import pathlib, sys
from jgo.maven import MavenContext
context = MavenContext(repo_cache=pathlib.Path(sys.argv[1], 'repository'))
maven = context.project('org.apache.maven', 'apache-maven').at_version('${MAVEN}')
print(maven.artifact('bin', 'tar.gz').resolve())
`;

function provideMaven(): Promise<string> {
  return provide({
    name: `maven-${MAVEN}`,
    variable: 'MVN',
    onPath: async () => ((await outputOf('mvn', ['--version'])) ? findOnPath('mvn') : undefined),
    fetch: {
      file: 'bin/mvn',
      saying: `fetches Maven ${MAVEN} from Maven Central (9 MB)`,
      into: async (dir) => {
        if (!(await findOnPath('python3'))) throw new Error('python3 is not on PATH: install Python 3 or Maven');
        const environment = join(dir, 'venv');
        await execa('python3', ['-m', 'venv', environment]);
        const pip = ['install', '--quiet', '--disable-pip-version-check', 'jgo==3.2.0'];
        await execa(join(environment, 'bin/pip'), pip);
        const { stdout: file } = await execa(join(environment, 'bin/python'), ['-c', fetchMaven, dir]);
        const sum = createHash('sha512')
          .update(await readFile(file))
          .digest('hex');
        if (sum !== MAVEN_SHA512) throw new Error(`${basename(file)} is not what was expected (SHA-512 ${sum})`);
        await execa('tar', ['-xzf', file, '-C', dir, '--strip-components=1']);
        for (const helper of ['venv', 'repository']) await rm(join(dir, helper), { recursive: true });
      },
    },
  });
}
