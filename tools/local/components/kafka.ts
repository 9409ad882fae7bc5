import { existsSync } from 'node:fs';
import { mkdir, readFile, writeFile } from 'node:fs/promises';
import { dirname, join } from 'node:path';
import { createTopics } from '@store/shared/messaging/kafka/admin';
import { storeTopics } from '@store/shared/messaging/topics';
import { createLog } from '@store/shared/observability/log';
import { execa } from 'execa';
import { freePort } from '../../free-port.ts';
import { provideKafkaTools } from '../downloads/java.mjs';
import { type SupervisedProcess, type Supervision, startProcess } from './supervised-process.ts';

export interface Kafka extends SupervisedProcess {
  brokers: string[];
}

interface KafkaOptions extends Partial<Supervision> {
  dataDir: string;
  port: number;
  /** Default: any free port. */
  controllerPort?: number;
  /** Further listeners, each for a TCP proxy: they advertise the port of the proxy. */
  proxied?: { port: number; proxyPort: number }[];
  /** Further lines of server.properties. */
  settings?: string;
}

/** Any id works, because there is only one broker. */
const clusterId = 'c3RvcmUtb24tdGhpcy1tYQ';
const topicOptions = { partitions: 6, replicas: 1, minInsyncReplicas: 1, retentionMs: 604_800_000, retentionBytes: -1 };

/** Starts one Kafka node, broker and controller, only on 127.0.0.1, with the topics of the store. */
export async function startKafka(options: KafkaOptions): Promise<Kafka> {
  const { dataDir, port, settings = '', ...supervision } = options;
  const controllerPort = options.controllerPort ?? (await freePort());
  const [java, ...flags] = await javaCommand();
  const brokers = [`127.0.0.1:${port}`];

  const configFile = `${dataDir}.properties`;
  await mkdir(dataDir, { recursive: true });
  const fixed = await readFile(new URL('kafka.properties', import.meta.url), 'utf8');
  const own = [addresses({ ...options, controllerPort }), `log.dirs=${dataDir}`, settings];
  await writeFile(configFile, [fixed, ...own].join('\n'));
  if (!existsSync(join(dataDir, 'meta.properties')))
    await execa(java, [...flags, 'kafka.tools.StorageTool', 'format', '-t', clusterId, '-c', configFile]);

  const topics = storeTopics(topicOptions);
  const client = { brokers, clientId: 'local-run', log: createLog('local-run', 'silent') };
  const component = await startProcess({
    logDir: join(dirname(dataDir), 'log'),
    ...supervision,
    name: 'kafka',
    command: java,
    args: [...flags, 'kafka.Kafka', configFile],
    // Called repeatedly, because a broker that has just started may drop a request. Existing topics stay as they are.
    ready: async () => {
      await createTopics(client, topics, 5_000);
      return true;
    },
    stopSeconds: 20,
  });
  return { ...component, brokers };
}

/** Returns the command that runs a class of Kafka. With less compilation Kafka is ready in two thirds of the time. */
export async function javaCommand(): Promise<[java: string, ...flags: string[]]> {
  const [java, kafka] = await provideKafkaTools();
  const small = ['-Xms128m', '-Xmx384m', '-XX:+UseSerialGC', '-XX:-UsePerfData', '-XX:TieredStopAtLevel=1'];
  return [join(java, 'bin/java'), ...small, '-Dlog4j2.level=INFO', '-cp', join(kafka, 'libs', '*')];
}

function addresses({ port, controllerPort, proxied = [] }: KafkaOptions & { controllerPort: number }): string {
  const local = (name: string, at: number) => `${name}://127.0.0.1:${at}`;
  const names = proxied.map((_, index) => `PROXIED${index}`);
  const listeners = proxied.map(({ port }, index) => local(`PROXIED${index}`, port));
  const advertised = proxied.map(({ proxyPort }, index) => local(`PROXIED${index}`, proxyPort));
  return `controller.quorum.voters=1@127.0.0.1:${controllerPort}
listeners=${[local('PLAINTEXT', port), local('CONTROLLER', controllerPort), ...listeners]}
advertised.listeners=${[local('PLAINTEXT', port), ...advertised]}
listener.security.protocol.map=${['PLAINTEXT', 'CONTROLLER', ...names].map((name) => `${name}:PLAINTEXT`)}`;
}
