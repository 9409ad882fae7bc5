import { parseArgs } from 'node:util';
import { createLog } from '../../observability/log.ts';
import type { EventProcessor } from '../consumer/handle-once.ts';
import { type BrokerOptions, createKafka, createPublisher } from '../kafka.ts';
import { type DeadLetter, readDeadLetters, redrive } from './dead-letters.ts';
import { describeLetters, place, printable } from './describe.ts';

export type Command = 'list' | 'retry' | 'help';

export const help = `Dead letters of this group: messages that its handler failed to process.

  node dist/redrive.js list     list them
  node dist/redrive.js retry    list them and hand them to the handler again, one at a time

Letters that are processed are no longer listed. One that fails again becomes a new dead letter with one more attempt.
Other groups are not affected, and the group itself can keep running. Running it twice processes nothing twice.
The environment is that of the service.
`;

/** @returns what is wrong with the arguments as `problem`, along with the command `help` */
export function parseCommand(argv: string[]): { command: Command; problem?: string } {
  try {
    const { values, positionals } = parseArgs({
      args: argv,
      options: { help: { type: 'boolean', short: 'h' } },
      allowPositionals: true,
    });
    const [command = 'list', ...more] = positionals;
    if (values.help || command === 'help') return { command: 'help' };
    if ((command === 'list' || command === 'retry') && more.length === 0) return { command };
    return { command: 'help', problem: `Unknown command: ${positionals.join(' ')}.` };
  } catch (error) {
    return { command: 'help', problem: reason(error) };
  }
}

/** @returns the exit code: 1 if a letter failed again, or another process is redriving the same group */
export async function listOrRetry(
  command: 'list' | 'retry',
  processor: EventProcessor,
  brokers: BrokerOptions,
  say: (line: string) => void,
): Promise<number> {
  const { group } = processor;
  const broker = { ...brokers, clientId: `${group}-dlq`, log: createLog('redrive', 'silent') };
  const kafka = createKafka(broker);
  const letters: DeadLetter[] = [];
  await readDeadLetters(kafka, (letter) => {
    if (letter.group === group) letters.push(letter);
  });
  say(describeLetters(letters, group));
  if (command === 'list' || letters.length === 0) return 0;

  const sender = createPublisher(broker);
  const counts = { processed: 0, failed: 0 };
  try {
    const isAlone = await redrive({
      kafka,
      sender,
      processor,
      onResult(letter, error) {
        counts[error === undefined ? 'processed' : 'failed'] += 1;
        say(`${place(letter)}: ${error === undefined ? 'processed' : `failed again: ${reason(error)}`}`);
      },
    });
    if (!isAlone) say('Another process is redriving the dead letters of this group.');
    return counts.failed === 0 && isAlone ? 0 : 1;
  } finally {
    say(`${counts.processed} processed, ${counts.failed} failed again`);
    await sender.close();
  }
}

export const reason = (error: unknown) => printable(error instanceof Error ? error.message : String(error));
