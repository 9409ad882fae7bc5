import type { Database } from '@store/shared/database/database';
import { rowsAs } from '@store/shared/database/rows';
import { sql } from '@store/shared/database/sql';
import type { PrismaClient } from '../generated/client.ts';
import { readBalances } from './balance-repository.ts';
import type { Movement } from './reconcile.ts';

interface Line {
  id: string;
  kind: string;
  at: Date;
  account: string | null;
  currency: string | null;
  amount: string | null;
}

/** The kind of a movement at the provider, by the kind of its entry. */
const movementKinds: Record<string, Movement['kind']> = {
  charge: 'charge',
  refund: 'refund',
  'refund-failed': 'refund',
  dispute: 'dispute',
  'dispute-won': 'dispute',
};

/** A run is read back to so many parts. */
const maxParts = 400;

export type BookRepository = ReturnType<typeof createBookRepository>;

/** Reads the books. */
export const createBookRepository = ({ prisma, lists }: Database<PrismaClient>) => ({
  balances: () => readBalances(lists),

  /** The lines of an order's entries, in the order in which it was booked. An entry of nothing has one row without account. */
  linesOf: (orderId: string) =>
    lists.run<Line>(sql`
      select id, kind, at, account, currency, amount::text as amount
      from entries left join entry_lines on entry = id
      where order_id = ${orderId}::uuid
      order by at, id, account, currency`),

  /** Payments that the books lack, counted up to 10,000. */
  async countUnbooked(): Promise<number> {
    const [row] = await lists.run<{ count: number }>(sql`
      select count(*)::int as count from (
        select from payments where status in ('PAID', 'REFUNDED') and booked is distinct from status limit 10000
      ) as unbooked`);
    return row?.count ?? 0;
  },

  /** Orders that something is owed to for an hour or longer, by id. @param after the id to continue after */
  async owedFor(after: string, size: number): Promise<string[]> {
    const rows = await lists.run<{ orderId: string }>(sql`
      select order_id as "orderId" from unearned
      where order_id > ${after}::uuid and amount > 0 and at < now() - interval '1 hour'
      order by order_id limit ${size}::int`);
    return rows.map(({ orderId }) => orderId);
  },

  /** Currencies in which the orders that are paid and not shipped do not add up to the account unearned. */
  unearnedProblems: () =>
    lists.run<{ currency: string; account: string; orders: string }>(sql`
      with account as (
        select currency, -sum(amount) as amount from (
          select currency, amount from balances where account = 'unearned'
          union all
          select currency, amount from balance_changes where account = 'unearned'
        ) as change group by currency
      ),
      orders as (select currency, sum(amount) as amount from unearned group by currency)
      select coalesce(account.currency, orders.currency) as currency,
             coalesce(account.amount, 0)::text as account, coalesce(orders.amount, 0)::text as orders
      from account full join orders using (currency)
      where coalesce(account.amount, 0) <> coalesce(orders.amount, 0)`),

  /** Counts entries of a period that break a rule of the books. */
  async entryProblems(from: Date, to: Date): Promise<{ unbalanced: number; unlikePayment: number }> {
    const [row] = await lists.run<{ unbalanced: number; unlikePayment: number }>(sql`
      with entry as (select id, order_id, kind from entries where at >= ${from}::timestamptz and at < ${to}::timestamptz)
      select
        (select count(*) from (
          select from entry join entry_lines on entry = entry.id
          group by entry.id, currency having sum(amount) <> 0
        ) as unbalanced)::int as unbalanced,
        (select count(*) from entry
          left join payments on payments.order_id = entry.order_id
          left join entry_lines on entry = entry.id and account = 'provider'
          where kind = 'charge' and (
            payments.status is null or payments.status not in ('PAID', 'REFUNDED')
            or entry_lines.currency is distinct from payments.currency and payments.amount > 0
          ))::int as "unlikePayment"`);
    return row ?? { unbalanced: 0, unlikePayment: 0 };
  },

  /** What the books have moved at a provider in a period, and all that they have moved for the given orders. */
  async movements(provider: string, from: Date, to: Date, orderIds: string[]): Promise<Movement[]> {
    const rows = await lists.run<{
      id: string;
      kind: string;
      orderId: string;
      amount: string;
      currency: string;
      at: Date;
    }>(sql`
      select entries.id, kind, entries.order_id as "orderId", entry_lines.amount::text as amount, entry_lines.currency, at
      from entries
      join entry_lines on entry = entries.id and account = 'provider'
      join payments on payments.order_id = entries.order_id
      where (at >= ${from}::timestamptz and at < ${to}::timestamptz
             or entries.order_id = any(${orderIds}::uuid[]))
        and coalesce(payments.provider, 'built-in') = ${provider}
      order by at, entries.id`);
    return rows.flatMap(({ kind, orderId, amount, ...row }): Movement[] => {
      const movementKind = movementKinds[kind];
      return movementKind === undefined
        ? []
        : [{ ...row, kind: movementKind, subject: orderId, amount: BigInt(amount) }];
    });
  },

  /** Finds the orders of the provider's intents. */
  async ordersOf(intentIds: string[]): Promise<Map<string, string>> {
    const rows = await lists.run<{ orderId: string; intentId: string }>(sql`
      select order_id as "orderId", intent_id as "intentId" from payments
      join ${rowsAs(
        'asked',
        intentIds.map((intentId) => ({ intentId })),
        { intentId: 'text' },
      )} on intent_id = "intentId"`);
    return new Map(rows.map(({ orderId, intentId }) => [intentId, orderId]));
  },

  async keepReconciliation(reconciliation: { run: string; at: Date; result: string }): Promise<void> {
    await prisma.reconciliation.create({ data: reconciliation });
  },

  /** The results of the last run, in the order in which they were made. */
  async lastRun(): Promise<string[]> {
    const last = await prisma.reconciliation.findFirst({ orderBy: { id: 'desc' } });
    if (last === null) return [];
    const rows = await prisma.reconciliation.findMany({
      where: { run: last.run, id: { gt: last.id - BigInt(maxParts) } },
      orderBy: { id: 'asc' },
    });
    return rows.map(({ result }) => result);
  },
});
