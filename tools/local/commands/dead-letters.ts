import { auditOut, lettersOut, type ResultOut, resultsOut, wholeLetterOut } from '@store/shared/contracts/dead-letters';
import { Option } from 'commander';
import { markdownTable } from 'markdown-table';
import type { z } from 'zod';
import { messageOf } from '../../../services/shared/src/values/errors.ts';
import { lookUp } from '../../look-up.ts';
import { callService, operatorName } from '../../operator-client.ts';
import { Tool } from '../../run-command.ts';
import { topology } from '../../topology/topology.ts';

type Options = Partial<Record<'redrive' | 'discard' | 'audit' | 'id' | 'reason' | 'by' | 'dryRun', string>>;

/** Maximum of letters in a request (contract 4.13). */
const perRequest = 100;
/** Long, because a redrive handles one letter after another. */
const timeoutMs = 300_000;

const allGroups = Object.keys(topology.groups);

/** Requests `path` under a group's dead letters from its service; with a body by POST. @returns undefined for 404 */
async function find<T>(group: string, path: string, schema: z.ZodType<T>, body?: object): Promise<T | undefined> {
  const { name: service } = lookUp('group', topology.groups, group);
  const method = body ? 'POST' : 'GET';
  return callService({ service, method, path: `/internal/dead-letters${path}`, body, schema, timeoutMs });
}

/** Puts text of a message on one line, without characters that would move a terminal's cursor. */
const printable = (text: string | null) => (text ?? '').replaceAll(/\p{Cc}+/gu, ' ');

/** Asks the services of all groups. Prints those that do not answer, and makes the command fail. */
async function findAll<T>(path: string, schema: z.ZodType<T>): Promise<T[]> {
  const refused = (group: string) => (error: unknown) => {
    console.error(`${group}: ${messageOf(error)}`);
    process.exitCode = 1;
  };
  const answers = await Promise.all(allGroups.map((group) => find(group, path, schema).catch(refused(group))));
  return answers.filter((answer) => answer !== undefined);
}

async function list(): Promise<void> {
  const groups = await findAll('', lettersOut);
  if (groups.length === 0) throw new Error('No service answers. Locally, make run starts the store.');
  const total = groups.reduce((sum, of) => sum + of.total, 0);
  if (total === 0) return console.log('No dead letters.');
  const rows = groups.flatMap(({ group, letters }) =>
    letters.map(({ id, kind, orderId, time, attempts, error }) =>
      [group, id, kind, orderId, time, String(attempts), error].map(printable),
    ),
  );
  console.log(markdownTable([['Group', 'Id', 'Kind', 'Order', 'Since', 'Attempts', 'Error'], ...rows]));
  if (total > rows.length) console.log(`${total - rows.length} more are not shown.`);
  console.log('To read a dead letter: make dlq ID=<id>. To redrive those of a group: make dlq REDRIVE=<group>');
}

async function show(id: string): Promise<void> {
  const [letter] = await findAll(`/${encodeURIComponent(id)}`, wholeLetterOut);
  if (letter === undefined) throw new Error(`No dead letter ${id} is open.`);
  console.log(JSON.stringify(letter, null, 2));
}

async function audit(group: string): Promise<void> {
  const trail = await find(group, '/audit', auditOut);
  for (const { letterId, ...decision } of trail?.entries ?? []) console.log(`${letterId}  ${decided(decision)}`);
  if (!trail?.entries.length) console.log('Nothing was redriven or discarded.');
}

const decided = ({ outcome, at, requestedBy, reason }: NonNullable<ResultOut['decision']>) =>
  `${outcome.toLowerCase()} at ${at} by ${printable(requestedBy)}${reason === null ? '' : `: ${printable(reason)}`}`;

/** Decides about letters in batches, and prints the result of each. */
async function decide(decision: 'redrive' | 'discard', group: string, all: string[], body: object): Promise<void> {
  const wanted = decision === 'redrive' ? 'REDRIVEN' : 'DISCARDED';
  for (let at = 0; at < all.length; at += perRequest) {
    const ids = all.slice(at, at + perRequest);
    const answer = await find(group, `/${decision}`, resultsOut, { ids, ...body });
    if (answer === undefined) throw new Error(`${group} does not have all of these letters: ${ids.join(', ')}`);
    for (const { id, outcome, effect, error, decision: earlier } of answer.results) {
      if ((earlier?.outcome ?? outcome) !== wanted) process.exitCode = 1;
      const became = earlier ? `had been ${decided(earlier)}` : (effect ?? outcome.toLowerCase());
      console.log(`${id}: ${became}${error ? ` again: ${printable(error)}` : ''}`);
    }
  }
}

/** Redrives all letters of a group, each once. It ends when the list holds only failed letters, even if others follow. */
async function redriveAll(group: string, body: object): Promise<void> {
  for (const tried = new Set<string>(); ; ) {
    const { letters = [], total = 0 } = (await find(group, '', lettersOut)) ?? {};
    const ids = letters.flatMap(({ id }) => (tried.has(id) ? [] : id));
    if (ids.length === 0) return console.log(`${tried.size} tried, ${total} open`);
    await decide('redrive', group, ids, body);
    for (const id of ids) tried.add(id);
  }
}

async function run({ redrive, discard, audit: audited, id, reason, by, dryRun }: Options): Promise<void> {
  if ([redrive, discard, audited].filter(Boolean).length > 1)
    throw new Error('Use only one of REDRIVE, DISCARD and AUDIT.');
  const ids = id?.split(/[\s,]+/).filter((one) => one !== '');
  if (ids?.length === 0) throw new Error('ID is empty. A redrive without ID would be of all letters.');
  const body = { by, dryRun: dryRun !== undefined };
  if (redrive) await (ids ? decide('redrive', redrive, ids, body) : redriveAll(redrive, body));
  else if (audited) await audit(audited);
  else if (!discard) await (ids ? show(ids.join()) : list());
  else if (!ids || !reason) throw new Error('DISCARD needs ID=<id> and REASON="<why>".');
  else await decide('discard', discard, ids, { ...body, reason });
}

// make passes variables of its command line in the environment, so a reason may have any characters.
const option = (flags: string, variable: string, text: string) => new Option(flags, text).env(variable);

await new Tool('make dlq')
  .usage(
    '[ID=<id>] | REDRIVE=<group> [ID=<id>] [DRY_RUN=1] | DISCARD=<group> ID=<id> REASON=<text> [DRY_RUN=1] | AUDIT=<group>',
  )
  .description('Lists the dead letters of the running store, redrives or discards those of a group, or says who did.')
  .addOption(option('--redrive <group>', 'REDRIVE', 'pass its dead letters to its handler again'))
  .addOption(option('--discard <group>', 'DISCARD', 'decide that letters are never handled'))
  .addOption(option('--audit <group>', 'AUDIT', 'print who redrove or discarded what, when and why'))
  .addOption(option('--id <ids>', 'ID', 'ids of letters, separated by spaces or commas; default for a redrive: all'))
  .addOption(option('--reason <text>', 'REASON', 'why the letters are discarded'))
  .addOption(option('--by <name>', 'BY', 'your name in the audit trail').default(operatorName()))
  .addOption(option('--dry-run <flag>', 'DRY_RUN', 'print what would be done, and change nothing').choices(['1']))
  .action(run)
  .run();
