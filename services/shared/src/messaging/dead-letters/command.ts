import { parseArgs } from 'node:util';
import type { z } from 'zod';
import { createLog } from '../../observability/log.ts';
import { ConfigError, readConfig } from '../../service/config.ts';
import type { ConsumerGroup, HandlerTransaction } from '../consumer/handle-once.ts';
import { type BrokerOptions, createKafka, createPublisher } from '../kafka.ts';
import { type DeadLetter, readDeadLetters, redrive } from './dead-letters.ts';

/** What a consuming service lends to the command. */
export interface DeadLetterGroup<Tx extends HandlerTransaction, Prepared = void> {
  consumerGroup: ConsumerGroup<Tx, Prepared>;
  brokers: BrokerOptions;
  close(): Promise<unknown>;
}

const help = `Dead letters of this group: messages that its handler has failed at.

  node dist/redrive.js list     show them
  node dist/redrive.js retry    show them and hand them back to the handler, one at a time

What is handled then is not shown again. What fails again becomes a new dead letter, with one more attempt. No other
group is disturbed, and the group itself need not be stopped. Handing back twice does nothing twice.
The environment is that of the service.
`;

/** The dead-letter command of a service: `process.exitCode = await runDeadLetters(schema, open)`. */
export async function runDeadLetters<S extends z.ZodType, Tx extends HandlerTransaction, Prepared = void>(
  schema: S,
  open: (config: z.output<S>) => DeadLetterGroup<Tx, Prepared>,
  argv = process.argv.slice(2),
  say: (line: string) => void = console.log,
): Promise<number> {
  const { command, problem } = parse(argv);
  if (command === 'help') {
    say(problem === undefined ? help : `${problem}\n\n${help}`);
    return problem === undefined ? 0 : 2;
  }
  let group: DeadLetterGroup<Tx, Prepared> | undefined;
  try {
    group = open(readConfig(schema, process.env));
    return await work(command, group, say);
  } catch (error) {
    say(error instanceof ConfigError ? error.message : `Given up: ${reasonOf(error)}`);
    return 1;
  } finally {
    await group?.close();
  }
}

async function work<Tx extends HandlerTransaction, Prepared>(
  command: 'list' | 'retry',
  { consumerGroup, brokers }: DeadLetterGroup<Tx, Prepared>,
  say: (line: string) => void,
): Promise<number> {
  const broker = { ...brokers, clientId: `${consumerGroup.group}-dlq`, log: createLog('dlq', 'silent') };
  const kafka = createKafka(broker);
  const letters: DeadLetter[] = [];
  await readDeadLetters(kafka, (letter) => {
    if (letter.group === consumerGroup.group) letters.push(letter);
  });
  say(describeLetters(letters, consumerGroup.group));
  if (command === 'list' || letters.length === 0) return 0;

  const sender = createPublisher(broker);
  const counts = { handled: 0, failed: 0 };
  try {
    const isAlone = await redrive({
      kafka,
      sender,
      consumerGroup,
      onResult(letter, error) {
        counts[error === undefined ? 'handled' : 'failed'] += 1;
        say(`${placeOf(letter)}: ${error === undefined ? 'handled' : `failed again: ${reasonOf(error)}`}`);
      },
    });
    if (!isAlone) say('Somebody else hands back this group’s dead letters just now.');
    return counts.failed === 0 && isAlone ? 0 : 1;
  } finally {
    say(`${counts.handled} handled, ${counts.failed} failed again`);
    await sender.close();
  }
}

function parse(argv: string[]): { command: 'list' | 'retry' | 'help'; problem?: string } {
  try {
    const { values, positionals } = parseArgs({
      args: argv,
      options: { help: { type: 'boolean', short: 'h' } },
      allowPositionals: true,
    });
    const [command = 'list', ...more] = positionals;
    if (values.help || command === 'help') return { command: 'help' };
    if ((command === 'list' || command === 'retry') && more.length === 0) return { command };
    return { command: 'help', problem: `There is no command ${positionals.join(' ')}.` };
  } catch (error) {
    return { command: 'help', problem: reasonOf(error) };
  }
}

/** A block per letter: what, why, since when. */
export function describeLetters(letters: DeadLetter[], of = 'any group', now = new Date()): string {
  if (letters.length === 0) return `No dead letters of ${of}.`;
  return [...letters]
    .sort((a, b) => a.group.localeCompare(b.group) || a.time.getTime() - b.time.getTime())
    .map((letter) => {
      const { group, attempts, error, time, message } = letter;
      const kind = printable(message.headers.ce_type || 'no kind');
      const tries = attempts === 1 ? '1 attempt' : `${attempts} attempts`;
      return [
        `${printable(group)}  ${kind}  order ${printable(message.key ?? 'unknown')}  ${age(now.getTime() - time.getTime())}  ${tries}`,
        `  ${placeOf(letter)}, event ${printable(message.headers.ce_id ?? 'without id')}`,
        ...error
          .trim()
          .split('\n')
          .map((line) => `  ${printable(line)}`),
      ].join('\n');
    })
    .concat(`${letters.length} dead letter${letters.length === 1 ? '' : 's'}`)
    .join('\n\n');
}

const placeOf = ({ origin: { topic, partition, offset } }: DeadLetter) => printable(`${topic} ${partition}:${offset}`);

const reasonOf = (error: unknown) => printable(error instanceof Error ? error.message : String(error));

/** What strangers have written must not move a terminal's cursor. */
const printable = (text: string) => text.replaceAll(/\p{Cc}+/gu, ' ');

function age(ms: number): string {
  const seconds = Math.max(0, Math.round(ms / 1000));
  if (seconds < 120) return `${seconds} s old`;
  if (seconds < 7_200) return `${Math.round(seconds / 60)} min old`;
  if (seconds < 172_800) return `${Math.round(seconds / 3_600)} h old`;
  return `${Math.round(seconds / 86_400)} days old`;
}
