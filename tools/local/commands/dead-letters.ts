import { dirname, join } from 'node:path';
import { type DeadLetter, readDeadLetters } from '@store/shared/messaging/dead-letters/dead-letters';
import { describeLetters } from '@store/shared/messaging/dead-letters/describe';
import { createKafka } from '@store/shared/messaging/kafka';
import { createLog } from '@store/shared/observability/log';
import { Command } from 'commander';
import { execa } from 'execa';
import { cacheDir } from '../../paths.ts';
import { messageOf, runCommand } from '../../run-command.ts';
import { topology } from '../../topology/topology.ts';
import { openPasswords } from '../components/postgres.ts';
import { entryOf, serviceEnv } from '../components/services.ts';
import { fixedPorts } from '../ports.ts';

const ports = fixedPorts();
const brokers = [`127.0.0.1:${ports.kafka}`];

async function list(): Promise<void> {
  const letters: DeadLetter[] = [];
  await readDeadLetters(createKafka({ brokers, clientId: 'make-dlq', log: createLog('dlq', 'silent') }), (letter) => {
    letters.push(letter);
  });
  console.log(describeLetters(letters));
  const retryable = [...new Set(letters.map(({ group }) => group))].filter((group) => group in topology.groups);
  for (const group of retryable.sort()) console.log(`To redrive: make dlq RETRY=${group}`);
}

/** Runs the redrive command of the service that handles the group. */
async function retry(group: string): Promise<number> {
  const service = topology.groups[group];
  if (!service?.database) {
    throw new Error(`There is no group ${group}. The groups are: ${Object.keys(topology.groups).join(', ')}.`);
  }
  const { database } = service;
  const passwords = await openPasswords(join(cacheDir, 'data/postgres'));
  const databaseUrl = `postgresql://${database}:${passwords.known(database)}@127.0.0.1:${ports.postgres}/${database}`;
  const { exitCode } = await execa(process.execPath, [join(dirname(entryOf(service)), 'redrive.js'), 'retry'], {
    env: { ...serviceEnv(service, { env: process.env, ports, jwtKey: '', brokers, databaseUrl }) },
    extendEnv: false,
    stdio: 'inherit',
    reject: false,
  });
  return exitCode ?? 1;
}

const command = new Command('make dlq')
  .usage('[RETRY=<group>]')
  .description('Lists the dead letters of the running store, or redrives those of one group.')
  .argument('[group]')
  .action(async (group?: string) => {
    if (group) process.exitCode = await retry(group);
    else await list();
  });

await runCommand(command, (error) => {
  const reason = messageOf(error);
  return /ECONN|Connection|broker/i.test(reason) ? 'Kafka does not answer: start the store with make run.' : reason;
});
