import {
  type Account,
  cutOffMinutes,
  longestDays,
  type ReconciliationOut,
  reconciliationOut,
  sideOf,
} from '@store/shared/contracts/books';
import { DomainError } from '@store/shared/values/errors';
import { parseJson, stringifyJson } from '@store/shared/values/json';
import { fromMinorUnits } from '@store/shared/values/money';
import { dayMs } from '@store/shared/values/time';
import type { PaymentProvider } from '../providers/provider.ts';
import type { BookRepository } from './book-repository.ts';
import { type Difference, differencesOf, type Movement } from './reconcile.ts';

interface Dependencies {
  repository: BookRepository;
  provider: Pick<PaymentProvider, 'name' | 'transactions'>;
  clock: () => Date;
}

type ListTransactions = NonNullable<PaymentProvider['transactions']>;

/** What happens at the provider is booked within this, but for outages: near the ends of a period both sides are read further. */
const marginMs = dayMs;
const mostListed = 100;

export type Books = ReturnType<typeof createBooks>;

export function createBooks({ repository, provider, clock }: Dependencies) {
  /** Says what is wrong with the sums: a defect of the store, or somebody has changed the database by hand. */
  async function problemsOf(balances: { currency: string; amount: string }[]): Promise<string[]> {
    const sums = Map.groupBy(balances, ({ currency }) => currency);
    const unbalanced = [...sums].filter(
      ([, rows]) => rows.reduce((sum, { amount }) => sum + BigInt(amount), 0n) !== 0n,
    );
    const unearned = await repository.unearnedProblems();
    return [
      ...unbalanced.map(([currency]) => `The accounts in ${currency} do not add up to zero.`),
      ...unearned.map(
        ({ currency, account, orders }) =>
          `Unearned in ${currency} is ${account} minor units, but the orders that are paid and not shipped add up to ${orders}.`,
      ),
    ];
  }

  /** Reads the provider's list, page by page. Movements of intents that no payment has keep the intent's id as their subject. */
  async function listOf(transactions: ListTransactions, from: Date, to: Date): Promise<Movement[]> {
    const all: Movement[] = [];
    for (let after: string | undefined; ; ) {
      const page = await transactions({ from, to, after });
      const orders = await repository.ordersOf([...new Set(page.transactions.map(({ intentId }) => intentId))]);
      all.push(
        ...page.transactions.map(({ id, kind, intentId, amount, currency, at }) => ({
          id,
          kind,
          subject: orders.get(intentId) ?? intentId,
          amount,
          currency,
          at,
        })),
      );
      if (page.next === undefined) return all;
      after = page.next;
    }
  }

  async function compare(transactions: ListTransactions, from: Date, to: Date) {
    const there = await listOf(
      transactions,
      new Date(from.getTime() - marginMs),
      new Date(Math.min(to.getTime() + marginMs, clock().getTime())),
    );
    const orders = [...new Set(there.map(({ subject }) => subject))].filter((subject) =>
      /^[0-9a-f-]{36}$/.test(subject),
    );
    const here = await repository.movements(provider.name, from, to, orders);
    const isWithin = ({ at }: Movement) => at >= from && at < to;
    return {
      there: there.filter(isWithin).length,
      here: here.filter(isWithin).length,
      differences: differencesOf(there, here, { from, to }),
    };
  }

  return {
    async show() {
      const balances = await repository.balances();
      const [unbooked, problems, last] = await Promise.all([
        repository.countUnbooked(),
        problemsOf(balances),
        repository.lastRun(),
      ]);
      return {
        balances: balances.map(({ account, currency, amount }) => {
          const side = sideOf[account as Account] ?? 'debit';
          return {
            account,
            side,
            balance: fromMinorUnits(side === 'debit' ? BigInt(amount) : -BigInt(amount), currency),
          };
        }),
        unbooked,
        problems,
        reconciliations: last.map((result) => reconciliationOut.parse(parseJson(result))),
      };
    },

    async entriesOf(orderId: string) {
      const byEntry = Map.groupBy(await repository.linesOf(orderId), ({ id }) => id);
      return [...byEntry].flatMap(([id, lines]) => {
        const [first] = lines;
        if (first === undefined) return [];
        const { kind, at } = first;
        return {
          id,
          kind,
          at: at.toISOString(),
          lines: lines.flatMap(({ account, currency, amount }) =>
            account === null || currency === null || amount === null
              ? []
              : [{ account, amount: fromMinorUnits(BigInt(amount), currency) }],
          ),
        };
      });
    },

    /**
     * Compares the provider's list with the books in [from, to), and keeps the result. Both sides share the instants: what is younger
     * than the cut-off may be on its way.
     * @throws DomainError ruleBroken if the period is too long, or ends after the cut-off
     */
    async reconcile({ run, from, to }: { run: string; from: Date; to: Date }): Promise<ReconciliationOut> {
      const now = clock();
      if (to.getTime() > now.getTime() - cutOffMinutes * 60_000)
        throw new DomainError('ruleBroken', `The period must end ${cutOffMinutes} minutes ago, or earlier.`);
      if (from >= to || to.getTime() - from.getTime() > longestDays * dayMs)
        throw new DomainError('ruleBroken', `The period must begin before it ends, at most ${longestDays} days.`);
      const { name, transactions } = provider;
      const none = { there: 0, here: 0, differences: [] };
      const { there, here, differences } = transactions ? await compare(transactions, from, to) : none;
      const { unbalanced, unlikePayment } = await repository.entryProblems(from, to);
      const problems = await problemsOf(await repository.balances());
      const unbooked = await repository.countUnbooked();
      if (unbalanced > 0) problems.push(`The lines of ${unbalanced} entries do not sum to zero.`);
      if (unlikePayment > 0) problems.push(`${unlikePayment} charges in the books are not those of their payments.`);
      if (unbooked > 0) problems.push(`${unbooked} payments are not in the books yet.`);
      const count = (what: Difference['what']) => differences.filter((difference) => difference.what === what).length;
      const result: ReconciliationOut = {
        provider: name,
        hasList: transactions !== undefined,
        from: from.toISOString(),
        to: to.toISOString(),
        at: now.toISOString(),
        there,
        here,
        missingHere: count('missing-here'),
        missingThere: count('missing-there'),
        different: count('different'),
        differences: differences.slice(0, mostListed).map(toDifferenceOut),
        problems,
      };
      await repository.keepReconciliation({ run, at: now, result: stringifyJson(result) });
      return result;
    },
  };
}

function toDifferenceOut({ what, there, here }: Difference): ReconciliationOut['differences'][number] {
  const { kind, subject } = (there ?? here) as Movement;
  const side = (movement: Movement | undefined) =>
    movement === undefined
      ? null
      : {
          id: movement.id,
          amount: fromMinorUnits(movement.amount, movement.currency),
          at: movement.at.toISOString(),
        };
  return { what, kind, subject, there: side(there), here: side(here) };
}
