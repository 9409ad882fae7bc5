import { createKeyset, cursorTime } from '@store/shared/database/keyset';
import { readCountedPage } from '@store/shared/database/read-page';
import { Decimal, type Money } from '@store/shared/values/money';
import { type Kysely, sql, type Transaction } from 'kysely';
import type { DB } from '../../generated/tables.ts';
import type { FiguresQuery } from './schemas.ts';

export type Counted = 'orders' | 'paid' | 'cancelled' | 'refunded';

export interface FigureChange {
  /** 2026-01-31, in UTC */
  day: string;
  /** The count to increase by one. */
  counted: Counted;
  revenue?: Money;
  refund?: Money;
}

const accepts = { test: (value: string) => cursorTime.test(`${value}T00:00:00.000Z`) };
const keyset = createKeyset('figures', { day: { sql: 'day', text: 'day::text', type: 'date', accepts } }, 'day');

const amounts = (column: string) => `(
  select coalesce(json_agg(json_build_object('amount', trim_scale(${column}), 'currency', currency) order by currency), '[]')
  from daily_amounts where daily_amounts.day = daily_figures.day and ${column} <> 0)`;
const asJson = sql<string>`${sql.raw(`json_build_object('day', day, 'orders', orders, 'paid', paid,
  'cancelled', cancelled, 'refunded', refunded, 'revenue', ${amounts('revenue')}, 'refunds', ${amounts('refunds')})`)}::text`;

export const createFigureRepository = (kysely: Kysely<DB>) => ({
  list: (query: FiguresQuery) =>
    readCountedPage(kysely, kysely.selectFrom('daily_figures').select(asJson.as('json')), keyset(query.sort), query),
});

/** Adds changes, always in the order of the days and currencies, so that concurrent transactions do not deadlock. */
export async function addFigures(tx: Transaction<DB>, changes: FigureChange[]): Promise<void> {
  const days = [...new Set(changes.map(({ day }) => day))].sort();
  const count = (day: string, counted: Counted) =>
    String(changes.filter((change) => change.day === day && change.counted === counted).length);
  await tx
    .insertInto('daily_figures')
    .values(
      days.map((day) => ({
        day,
        orders: count(day, 'orders'),
        paid: count(day, 'paid'),
        cancelled: count(day, 'cancelled'),
        refunded: count(day, 'refunded'),
      })),
    )
    .onConflict((conflict) =>
      conflict.column('day').doUpdateSet((eb) => ({
        orders: eb('daily_figures.orders', '+', eb.ref('excluded.orders')),
        paid: eb('daily_figures.paid', '+', eb.ref('excluded.paid')),
        cancelled: eb('daily_figures.cancelled', '+', eb.ref('excluded.cancelled')),
        refunded: eb('daily_figures.refunded', '+', eb.ref('excluded.refunded')),
      })),
    )
    .execute();

  const amounts = sumsOf(changes);
  if (amounts.length === 0) return;
  await tx
    .insertInto('daily_amounts')
    .values(amounts)
    .onConflict((conflict) =>
      conflict.columns(['day', 'currency']).doUpdateSet((eb) => ({
        revenue: eb('daily_amounts.revenue', '+', eb.ref('excluded.revenue')),
        refunds: eb('daily_amounts.refunds', '+', eb.ref('excluded.refunds')),
      })),
    )
    .execute();
}

/** Sums by day and currency, in this order. */
function sumsOf(changes: FigureChange[]) {
  const sums = new Map<string, { day: string; currency: string; revenue: Decimal; refunds: Decimal }>();
  const zero = new Decimal(0);
  function add(day: string, name: 'revenue' | 'refunds', { amount, currency }: Money) {
    const key = `${day} ${currency}`;
    const sum = sums.get(key) ?? { day, currency, revenue: zero, refunds: zero };
    sums.set(key, { ...sum, [name]: sum[name].plus(amount) });
  }
  for (const { day, revenue, refund } of changes) {
    if (revenue !== undefined) add(day, 'revenue', revenue);
    if (refund !== undefined) add(day, 'refunds', refund);
  }
  return [...sums]
    .sort(([a], [b]) => (a < b ? -1 : 1))
    .map(([, { revenue, refunds, ...sum }]) => ({ ...sum, revenue: revenue.toFixed(), refunds: refunds.toFixed() }));
}
