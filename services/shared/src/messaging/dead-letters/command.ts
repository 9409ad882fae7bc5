import { hostname, userInfo } from 'node:os';
import { Command, CommanderError, InvalidArgumentError, Option } from 'commander';
import type { Kafka } from 'kafkajs';
import type { Kysely } from 'kysely';
import { uuid } from '../../values/fields.ts';
import type { ConsumerGroup } from '../consumer/handle-once.ts';
import type { DeadLetter } from './dead-letters.ts';
import { describeAudit, describeDecision, describeLetters, describeMessage, reasonOf } from './describe.ts';
import { auditOf, recordsOf } from './records.ts';
import { discard, listDeadLetters, type Result, redrive } from './redrive.ts';

/** A group, with what its command needs. */
export interface OwnGroup<Tables> {
  kafka: Kafka;
  group: ConsumerGroup<Tables>;
  database: Kysely<Tables>;
}

interface Selection {
  id?: string[];
  by: string;
  dryRun: boolean;
}

const notes = `
A letter that was redriven or discarded is no longer listed, and nothing hands it to the handler again: the database of
the group keeps what was decided, by whom and when. One that fails again stays, with one more attempt. Other groups are
not affected, the group itself can keep running, and several people may do this at once.

The environment is that of the service. Exit code: 0, 1 if a letter failed again, is unknown or had been decided
otherwise, 2 for wrong arguments.`;

/**
 * The dead-letter command of a group.
 * @param open connects to the group's database and brokers; called once the arguments have proved right
 * @returns the exit code
 * @throws UnknownLetterError, and whatever makes Kafka or the database unavailable
 */
export async function runDeadLetterCommand<Tables>(
  argv: string[],
  open: () => Promise<OwnGroup<Tables>>,
  say: (line: string) => void,
): Promise<number> {
  let exitCode = 0;

  async function list({ id: ids }: { id?: string[] }): Promise<void> {
    const { kafka, group, database } = await open();
    const known = (of: string) => (of === group.name ? recordsOf(database, of) : undefined);
    const found = await listDeadLetters({ kafka, known, ids });
    say(describeLetters(found, group.name));
    if (ids !== undefined) for (const letter of found.letters) say(describeMessage(letter));
  }

  async function audit({ id: ids }: { id?: string[] }): Promise<void> {
    const { group, database } = await open();
    const entries = await auditOf(database, group.name, ids);
    say(entries.length === 0 ? 'Nothing was redriven or discarded.' : describeAudit(entries));
  }

  /** Says what became of each letter, and how many there were of each outcome. */
  function results(wanted: 'REDRIVEN' | 'DISCARDED', isDryRun: boolean) {
    const counts = { done: 0, failed: 0 };
    return {
      onResult({ id }: DeadLetter, result: Result) {
        if (result.outcome === wanted) counts.done += 1;
        if (result.outcome === 'FAILED') counts.failed += 1;
        const isFine = result.outcome === 'DECIDED' ? result.decision?.outcome === wanted : result.outcome === wanted;
        if (!isFine) exitCode = 1;
        say(`${id}: ${sentence(result, isDryRun)}`);
      },
      summarise() {
        const failed = wanted === 'REDRIVEN' ? `, ${counts.failed} failed again` : '';
        say(isDryRun ? 'Dry run: nothing was changed.' : `${counts.done} ${wanted.toLowerCase()}${failed}`);
      },
    };
  }

  const program = new Command('node dist/redrive.js')
    .description('Dead letters of this group: messages that its handler failed to process.')
    .exitOverride()
    .configureOutput({ writeOut: (text) => say(text.trimEnd()), writeErr: (text) => say(text.trimEnd()) })
    .showHelpAfterError()
    .addHelpText('after', notes);
  program
    .command('list', { isDefault: true })
    .description('list them; with --id also what the message says')
    .addOption(idOption())
    .action(list);
  program
    .command('redrive')
    .description('hand all of them, or those with the ids, to the handler again, one at a time')
    .addOption(idOption())
    .addOption(byOption())
    .addOption(dryRunOption())
    .action(async ({ id: ids, by, dryRun: isDryRun }: Selection) => {
      const { onResult, summarise } = results('REDRIVEN', isDryRun);
      await redrive({ ...(await open()), ids, by, isDryRun, onResult }).finally(summarise);
    });
  program
    .command('discard')
    .description('decide that those with the ids are never handled')
    .addOption(idOption().makeOptionMandatory())
    .addOption(new Option('--reason <text>', 'why').argParser(text).makeOptionMandatory())
    .addOption(byOption())
    .addOption(dryRunOption())
    .action(async ({ id: ids = [], reason, by, dryRun: isDryRun }: Selection & { reason: string }) => {
      const { onResult, summarise } = results('DISCARDED', isDryRun);
      await discard({ ...(await open()), ids, reason, by, isDryRun, onResult }).finally(summarise);
    });
  program
    .command('audit')
    .description('list who redrove or discarded what, when and why')
    .addOption(idOption())
    .action(audit);

  try {
    await program.parseAsync(argv, { from: 'user' });
  } catch (error) {
    if (error instanceof CommanderError) return error.exitCode === 0 ? 0 : 2;
    throw error;
  }
  return exitCode;
}

const idOption = () => new Option('--id <id...>', 'of the letters').argParser(addId);
const byOption = () => new Option('--by <name>', 'who asks, for the audit trail').argParser(text).default(ownName());
const dryRunOption = () => new Option('--dry-run', 'say what would be done, and change nothing').default(false);

function addId(given: string, earlier: string[] | undefined): string[] {
  const id = uuid.safeParse(given);
  if (!id.success) throw new InvalidArgumentError('It is a UUID, as the list shows it.');
  return [...new Set([...(earlier ?? []), id.data])];
}

function text(given: string): string {
  const trimmed = given.trim();
  if (trimmed === '' || trimmed.length > 1_000) throw new InvalidArgumentError('It has 1 to 1000 characters.');
  return trimmed;
}

/** The user of the operating system and the machine, which in a cluster is the pod. */
function ownName(): string {
  try {
    return `${userInfo().username}@${hostname()}`;
  } catch {
    return hostname(); // a container may run as a user without a name
  }
}

function sentence(result: Result, isDryRun: boolean): string {
  const would = isDryRun ? 'would be ' : '';
  if (result.outcome === 'FAILED') {
    return `${isDryRun ? 'would fail' : 'failed'} again: ${reasonOf(result.error)}`;
  }
  if ('effect' in result) return result.effect;
  if (result.outcome !== 'DECIDED') return `${would}${result.outcome.toLowerCase()}`;
  return result.decision === undefined ? 'decided before' : `had been ${describeDecision(result.decision)}`;
}
