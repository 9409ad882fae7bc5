import { dirname, join } from 'node:path';
import { type DeadLetter, readDeadLetters } from '@store/shared/messaging/dead-letters/dead-letters';
import { describeLetters } from '@store/shared/messaging/dead-letters/describe';
import { createKafka } from '@store/shared/messaging/kafka';
import { createLog } from '@store/shared/observability/log';
import { execa } from 'execa';
import { cacheDir } from '../../paths.ts';
import { openPasswords } from '../components/postgres.ts';
import { serviceEnv, services } from '../components/services.ts';
import { fixedPorts, type ServiceName } from '../ports.ts';

// make dlq: the dead letters of every group of the running store; make dlq RETRY=invoice-group hands back that group's.

const serviceOf: Record<string, ServiceName> = {
  'order-group': 'order-worker',
  'inventory-group': 'inventory',
  'payment-group': 'payment',
  'notification-group': 'notification',
  'analytics-group': 'analytics',
  'invoice-group': 'invoice',
};

const ports = fixedPorts();
const brokers = [`127.0.0.1:${ports.kafka}`];

async function list(): Promise<void> {
  const letters: DeadLetter[] = [];
  await readDeadLetters(createKafka({ brokers, clientId: 'make-dlq', log: createLog('dlq', 'silent') }), (letter) => {
    letters.push(letter);
  });
  console.log(describeLetters(letters));
  const retryable = [...new Set(letters.map(({ group }) => group))].filter((group) => group in serviceOf);
  for (const group of retryable.sort()) console.log(`To hand back: make dlq RETRY=${group}`);
}

/** By the group's own image and environment, for its handlers are there. */
async function retry(group: string): Promise<number> {
  const name = serviceOf[group];
  if (name === undefined) {
    throw new Error(`There is no group ${group}. There are: ${Object.keys(serviceOf).join(', ')}.`);
  }
  const { entry, database = name } = services[name];
  const passwords = await openPasswords(join(cacheDir, 'data/postgres'));
  const databaseUrl = `postgresql://${database}:${passwords.known(database)}@127.0.0.1:${ports.postgres}/${database}`;
  const { exitCode } = await execa(process.execPath, [join(dirname(entry), 'redrive.js'), 'retry'], {
    env: { ...serviceEnv(name, { env: process.env, ports, jwtKey: '', brokers, databaseUrl }) },
    extendEnv: false,
    stdio: 'inherit',
    reject: false,
  });
  return exitCode ?? 1;
}

try {
  const group = process.env.RETRY || process.argv[2];
  if (group) process.exitCode = await retry(group);
  else await list();
} catch (error) {
  const reason = error instanceof Error ? error.message : String(error);
  console.error(
    /ECONN|Connection|broker/i.test(reason) ? `Kafka does not answer: start the store with make run.` : reason,
  );
  process.exitCode = 1;
}
