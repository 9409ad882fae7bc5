import { mkdir, readFile, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { askAdmin } from '@store/shared/messaging/kafka/admin';
import { createLog } from '@store/shared/observability/log';
import { execa } from 'execa';
import type { Admin } from 'kafkajs';
import { freePort } from '../../tools/free-port.ts';
import { javaCommand } from '../../tools/local/components/kafka.ts';
import { type SupervisedProcess, startProcess } from '../../tools/local/components/supervised-process.ts';
import type { Store } from '../../tools/local/store.ts';
import { metricsSettings } from '../kit/observability/kafka-metrics.ts';

export const secondBrokerId = 2;

export const asAdmin = <T>({ kafkaBrokers: brokers }: Store, use: (admin: Admin) => Promise<T>): Promise<T> =>
  askAdmin({ brokers, clientId: 'gameday', log: createLog('gameday', 'silent') }, 30_000, use);

/** A broker beside the local one, which stays the only controller. */
export async function startSecondBroker(store: Store, metricsPort: number): Promise<SupervisedProcess> {
  const dataDir = join(store.dir, 'data', 'second-broker');
  const file = `${dataDir}.properties`;
  const [java, ...flags] = await javaCommand();
  await mkdir(dataDir, { recursive: true });
  await writeFile(
    file,
    `process.roles=broker
node.id=${secondBrokerId}
controller.quorum.voters=1@127.0.0.1:${store.ports.of('kafka-controller')}
listeners=PLAINTEXT://127.0.0.1:${await freePort()}
listener.security.protocol.map=PLAINTEXT:PLAINTEXT,CONTROLLER:PLAINTEXT
controller.listener.names=CONTROLLER
inter.broker.listener.name=PLAINTEXT
log.dirs=${dataDir}
log.cleaner.dedupe.buffer.size=16777216
num.io.threads=2
num.network.threads=1
${await metricsSettings(metricsPort)}`,
  );
  const properties = await readFile(join(store.dir, 'data', 'kafka', 'meta.properties'), 'utf8');
  const [, clusterId = ''] = /^cluster\.id=(.+)$/m.exec(properties) ?? [];
  const format = ['kafka.tools.StorageTool', 'format', '--ignore-formatted', '-t', clusterId, '-c', file];
  await execa(java, [...flags, ...format]);
  return startProcess({
    name: 'second-broker',
    command: java,
    args: [...flags, 'kafka.Kafka', file],
    logDir: join(store.dir, 'log'),
    log: () => undefined,
    ready: () => asAdmin(store, async (admin) => (await admin.describeCluster()).brokers.length === 2),
    stopSeconds: 20,
  });
}
