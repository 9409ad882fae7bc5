import { randomBytes } from 'node:crypto';
import { existsSync } from 'node:fs';
import { mkdir, writeFile } from 'node:fs/promises';
import { dirname, join } from 'node:path';
import { askAdmin } from '@store/shared/messaging/kafkajs/admin';
import { storeTopics } from '@store/shared/messaging/topics';
import { createLog } from '@store/shared/observability/log';
import { execa } from 'execa';
import { freePort } from '../../free-port.ts';
import { provideKafkaTools } from '../downloads/kafka.ts';
import { type SupervisedProcess, type Supervision, startProcess } from './supervised-process.ts';

export interface Kafka extends SupervisedProcess {
  brokers: string[];
}

interface KafkaOptions extends Partial<Supervision> {
  dataDir: string;
  port: number;
  /** Default: any free one. */
  controllerPort?: number;
  /** Further listeners, each for a TCP proxy: whoever asks there for the brokers is sent to the port of the proxy. */
  proxied?: { port: number; proxyPort: number }[];
  /** Further lines of server.properties. */
  settings?: string;
}

const topicOptions = { partitions: 6, replicas: 1, minInsyncReplicas: 1, retentionMs: 604_800_000, retentionBytes: -1 };

/** One Kafka node, broker and controller, on 127.0.0.1 only, with the topics of the store. */
export async function startKafka(options: KafkaOptions): Promise<Kafka> {
  const { dataDir, port, settings = '', ...supervision } = options;
  const controllerPort = options.controllerPort ?? (await freePort());
  const [java, ...flags] = await javaCommand();
  const brokers = [`127.0.0.1:${port}`];

  const configFile = `${dataDir}.properties`;
  await mkdir(dataDir, { recursive: true });
  await writeFile(configFile, configuration({ ...options, controllerPort }) + settings);
  if (!existsSync(join(dataDir, 'meta.properties'))) {
    const clusterId = `s${randomBytes(16).toString('base64url').slice(1)}`; // must not start with a dash
    await execa(java, [...flags, 'kafka.tools.StorageTool', 'format', '-t', clusterId, '-c', configFile]);
  }

  const topics = storeTopics(topicOptions);
  const client = { brokers, clientId: 'local-run', log: createLog('local-run', 'silent') };
  const component = await startProcess({
    logDir: join(dirname(dataDir), 'log'),
    ...supervision,
    name: 'kafka',
    command: java,
    args: [...flags, 'kafka.Kafka', configFile],
    // Repeated, as a broker that has just started may drop a request. Topics that are there stay as they are.
    ready: async () => {
      await askAdmin(client, 5_000, (admin) => admin.createTopics({ topics, waitForLeaders: true }));
      return true;
    },
    stopSeconds: 20,
  });
  return { ...component, brokers };
}

/** Returns the command that runs a class of Kafka. */
export async function javaCommand(): Promise<[java: string, ...flags: string[]]> {
  const [java, kafka] = await provideKafkaTools();
  return [
    join(java, 'bin/java'),
    '-Xms128m',
    '-Xmx384m',
    '-XX:+UseSerialGC',
    '-XX:-UsePerfData',
    '-XX:TieredStopAtLevel=1', // less compilation: ready in two thirds of the time
    '-Dlog4j2.level=INFO',
    '-cp',
    join(kafka, 'libs', '*'),
  ];
}

/**
 * For a broker that is idle most of the time: threads that poll for requests every 300 ms, of which it has eleven for each
 * listener, and records that a controller writes twice a second for the standbys that it has not.
 */
const quiet = `num.io.threads=2
num.network.threads=1
metadata.max.idle.interval.ms=0
`;

function configuration({ dataDir, port, controllerPort, proxied = [] }: KafkaOptions & { controllerPort: number }) {
  const local = (name: string, at: number) => `${name}://127.0.0.1:${at}`;
  const names = proxied.map((_, index) => `PROXIED${index}`);
  const listeners = proxied.map(({ port }, index) => local(`PROXIED${index}`, port));
  const advertised = proxied.map(({ proxyPort }, index) => local(`PROXIED${index}`, proxyPort));
  return `process.roles=broker,controller
node.id=1
controller.quorum.voters=1@127.0.0.1:${controllerPort}
listeners=${[local('PLAINTEXT', port), local('CONTROLLER', controllerPort), ...listeners]}
advertised.listeners=${[local('PLAINTEXT', port), ...advertised]}
listener.security.protocol.map=${['PLAINTEXT', 'CONTROLLER', ...names].map((name) => `${name}:PLAINTEXT`)}
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
${quiet}`;
}
