import { dirname, join } from 'node:path';
import { openDatabase } from '@store/shared/database/database';
import { describeLetters, describeMessage } from '@store/shared/messaging/dead-letters/describe';
import { type LetterRecord, recordsOf } from '@store/shared/messaging/dead-letters/records';
import { listDeadLetters } from '@store/shared/messaging/dead-letters/redrive';
import { createKafka } from '@store/shared/messaging/kafkajs/client';
import { createLog } from '@store/shared/observability/log';
import { Command, Option } from 'commander';
import { execa } from 'execa';
import { cacheDir } from '../../paths.ts';
import { messageOf, runCommand } from '../../run-command.ts';
import { type Service, topology } from '../../topology/topology.ts';
import { openPasswords } from '../components/postgres.ts';
import { entryOf, serviceEnv } from '../components/services.ts';
import { fixedPorts } from '../ports.ts';

interface Options {
  redrive?: string;
  discard?: string;
  audit?: string;
  id?: string;
  reason?: string;
  by?: string;
  dryRun?: string;
}

const ports = fixedPorts();
const brokers = [`127.0.0.1:${ports.kafka}`];

async function databaseUrlOf({ database = '' }: Service): Promise<string> {
  const passwords = await openPasswords(join(cacheDir, 'data/postgres'));
  return `postgresql://${database}:${passwords.known(database)}@127.0.0.1:${ports.postgres}/${database}`;
}

async function known(group: string): Promise<Map<string, LetterRecord>> {
  const service = topology.groups[group];
  if (service === undefined) return new Map(); // its service was removed
  const { kysely, close } = openDatabase(await databaseUrlOf(service), 1);
  return recordsOf(kysely, group).finally(close);
}

async function list(ids: string[] | undefined): Promise<void> {
  const kafka = createKafka({ brokers, clientId: 'make-dlq', log: createLog('dlq', 'silent') });
  const found = await listDeadLetters({ kafka, known, ids });
  console.log(describeLetters(found));
  if (ids !== undefined) for (const letter of found.letters) console.log(describeMessage(letter));
  const groups = [...new Set(found.letters.map(({ group }) => group))].filter((group) => group in topology.groups);
  for (const group of groups.sort()) console.log(`To redrive: make dlq REDRIVE=${group}`);
}

/** Runs the dead-letter command of the service that handles the group. */
async function runOf(group: string, args: string[]): Promise<number> {
  const service = topology.groups[group];
  if (!service?.database) {
    throw new Error(`There is no group ${group}. The groups are: ${Object.keys(topology.groups).join(', ')}.`);
  }
  const databaseUrl = await databaseUrlOf(service);
  const { exitCode } = await execa(process.execPath, [join(dirname(entryOf(service)), 'redrive.js'), ...args], {
    env: { ...serviceEnv(service, { env: process.env, ports, jwtKey: '', brokers, databaseUrl }) },
    extendEnv: false,
    stdio: 'inherit',
    reject: false,
  });
  return exitCode ?? 1;
}

async function run({ redrive, discard, audit, id, reason, by, dryRun }: Options): Promise<void> {
  const actions = Object.entries({ redrive, discard, audit }).filter(([, group]) => group);
  if (actions.length > 1) throw new Error('One of REDRIVE, DISCARD and AUDIT at a time.');
  const ids = id?.split(/[\s,]+/).filter((one) => one !== '');
  if (ids?.length === 0) throw new Error('ID is empty. Without it a redrive is of all letters.');
  const [action] = actions;
  if (action === undefined) return list(ids);
  const [name, group = ''] = action;
  process.exitCode = await runOf(group, [
    name,
    ...(ids ? ['--id', ...ids] : []),
    ...(reason ? ['--reason', reason] : []),
    ...(by ? ['--by', by] : []),
    ...(dryRun ? ['--dry-run'] : []),
  ]);
}

// make passes the variables of its command line on as environment, whatever characters a reason has.
const option = (flags: string, variable: string, text: string) => new Option(flags, text).env(variable);

const command = new Command('make dlq')
  .usage(
    '[ID=<id>] | REDRIVE=<group> [ID=<id>] [DRY_RUN=1] | DISCARD=<group> ID=<id> REASON=<text> [DRY_RUN=1] | AUDIT=<group>',
  )
  .description(
    'Lists the dead letters of the running store, redrives those of a group, discards some, or says who did.',
  )
  .addOption(option('--redrive <group>', 'REDRIVE', 'hand its dead letters to its handler again'))
  .addOption(option('--discard <group>', 'DISCARD', 'decide that letters are never handled'))
  .addOption(option('--audit <group>', 'AUDIT', 'who redrove or discarded what, when and why'))
  .addOption(option('--id <ids>', 'ID', 'of the letters, separated by blanks or commas; default for a redrive: all'))
  .addOption(option('--reason <text>', 'REASON', 'why they are discarded'))
  .addOption(option('--by <name>', 'BY', 'who asks, for the audit trail; default: the user of this machine'))
  .addOption(option('--dry-run <flag>', 'DRY_RUN', 'say what would be done, and change nothing').choices(['1']))
  .action(run);

await runCommand(command, (error) => {
  const reason = messageOf(error);
  return /ECONN|Connection|broker/i.test(reason) ? 'Kafka does not answer: start the store with make run.' : reason;
});
