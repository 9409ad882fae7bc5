import { randomUUID } from 'node:crypto';
import { cutOffMinutes, type ReconciliationOut, reconciliationOut } from '@store/shared/contracts/books';
import { InvalidArgumentError, Option } from 'commander';
import { markdownTable } from 'markdown-table';
import type { z } from 'zod';
import { inDecimals } from '../../../services/shared/src/values/money.ts';
import { callService } from '../../operator-client.ts';
import { Tool } from '../../run-command.ts';

type Result = z.output<typeof reconciliationOut>;
type Side = Result['differences'][number]['there'];

const dayMs = 86_400_000;
/** Long, because the provider gives its list page by page. */
const timeoutMs = 300_000;

const meaning: Record<ReconciliationOut['differences'][number]['what'], string> = {
  'missing-here': 'missing in the books',
  'missing-there': 'missing at the provider',
  different: 'different',
};

const shown = (side: Side) =>
  side === null ? '' : `${inDecimals(side.amount.amount, side.amount.currency)} ${side.amount.currency} at ${side.at}`;

async function compare(run: string, from: Date, to: Date): Promise<Result> {
  const body = { run, from: from.toISOString(), to: to.toISOString() };
  const path = '/internal/books/reconciliations';
  const result = await callService({
    service: 'payment',
    method: 'POST',
    path,
    body,
    schema: reconciliationOut,
    timeoutMs,
  });
  if (result === undefined) throw new Error('The payment service of this release keeps no books.');
  return result;
}

/** Compares day by day, so that each answer comes soon, and says how far it is. */
async function reconcile({ days }: { days: number }): Promise<void> {
  const end = Date.now() - cutOffMinutes * 60_000;
  const run = randomUUID();
  const found: Result[] = [];
  for (let left = days; left > 0; left -= 1) {
    const result = await compare(run, new Date(end - left * dayMs), new Date(end - (left - 1) * dayMs));
    found.push(result);
    const { hasList, there, provider, here } = result;
    if (hasList) console.log(`${result.from} to ${result.to}: ${there} at ${provider}, ${here} in the books`);
  }
  if (found.some(({ hasList }) => !hasList))
    console.log(
      'The built-in provider moves no money and keeps no list, so there is nothing to compare the books with.',
    );
  const differences = found.flatMap((result) => result.differences);
  if (differences.length > 0) {
    const rows = differences.map(({ what, kind, subject, there, here }) => [
      meaning[what],
      kind,
      subject,
      shown(there),
      shown(here),
    ]);
    console.log(markdownTable([['What', 'Kind', 'Order', 'At the provider', 'In the books'], ...rows]));
  }
  const problems = [...new Set(found.flatMap((result) => result.problems))];
  for (const problem of problems) console.log(problem);
  const count = found.reduce(
    (sum, { missingHere, missingThere, different }) => sum + missingHere + missingThere + different,
    0,
  );
  if (count === 0 && problems.length === 0) return console.log('The books are balanced, and agree with the payments.');
  console.log(`${count} differences, ${problems.length} problems: docs/runbooks/books.md says what to do.`);
  process.exitCode = 1;
}

function wholeDays(text: string): number {
  const days = Number(text);
  if (Number.isInteger(days) && days >= 1 && days <= 366) return days;
  throw new InvalidArgumentError('must be 1 to 366');
}

await new Tool('make reconcile')
  .usage('[DAYS=3]')
  .description(
    `Compares the list of the payment provider with the books, up to ${cutOffMinutes} minutes ago, and checks the books. Changes nothing. Fails if they differ.`,
  )
  .addOption(new Option('--days <number>', 'how many days back').env('DAYS').argParser(wholeDays).default(3))
  .action(reconcile)
  .run();
