import { createKeyset, cursorTime } from '@store/shared/database/keyset';
import { readCountedPage } from '@store/shared/database/read-page';
import { rowsAs } from '@store/shared/database/rows';
import type { Money } from '@store/shared/values/money';
import { type Kysely, sql, type Transaction } from 'kysely';
import type { DB } from '../../generated/tables.ts';
import type { FiguresQuery } from './schemas.ts';

type Counted = 'orders' | 'paid' | 'cancelled' | 'refunded';

export interface FigureChange {
  /** 2026-01-31, in UTC */
  day: string;
  /** The count to increase by one. */
  counted: Counted;
  /** The amount that was paid or refunded. */
  money?: Money;
}

const accepts = { test: (value: string) => cursorTime.test(`${value}T00:00:00.000Z`) };
const keyset = createKeyset('figures', { day: { sql: 'day', text: 'day::text', type: 'date', accepts } }, 'day');

const amounts = (column: string) => `(
  select coalesce(json_agg(json_build_object('amount', trim_scale(${column}), 'currency', currency) order by currency), '[]')
  from daily_amounts where daily_amounts.day = daily_figures.day and ${column} <> 0)`;
const asJson = sql<string>`${sql.raw(`json_build_object('day', day, 'orders', orders, 'paid', paid,
  'cancelled', cancelled, 'refunded', refunded, 'revenue', ${amounts('revenue')}, 'refunds', ${amounts('refunds')})`)}::text`;

export type FigureRepository = ReturnType<typeof createFigureRepository>;

export const createFigureRepository = (kysely: Kysely<DB>) => ({
  list: (query: FiguresQuery) =>
    readCountedPage(kysely, kysely.selectFrom('daily_figures').select(asJson.as('json')), keyset(query.sort), query),
});

/** Adds changes, always in the order of the days and currencies, so that concurrent transactions do not deadlock. */
export async function addFigures(tx: Transaction<DB>, changes: FigureChange[]): Promise<void> {
  const rows = changes.map(({ day, counted, money }) => ({
    day,
    counted,
    amount: money?.amount.toFixed(),
    currency: money?.currency,
  }));
  const change = rowsAs('change', rows, { day: 'date', counted: 'text', amount: 'numeric', currency: 'text' });
  await sql`
    insert into daily_figures (day, orders, paid, cancelled, refunded)
    select day, count(*) filter (where counted = 'orders'), count(*) filter (where counted = 'paid'),
           count(*) filter (where counted = 'cancelled'), count(*) filter (where counted = 'refunded')
    from ${change} group by day order by day
    on conflict (day) do update
    set orders = daily_figures.orders + excluded.orders, paid = daily_figures.paid + excluded.paid,
        cancelled = daily_figures.cancelled + excluded.cancelled,
        refunded = daily_figures.refunded + excluded.refunded`.execute(tx);
  await sql`
    insert into daily_amounts (day, currency, revenue, refunds)
    select day, currency, coalesce(sum(amount) filter (where counted = 'paid'), 0),
           coalesce(sum(amount) filter (where counted = 'refunded'), 0)
    from ${change} where amount is not null group by day, currency order by day, currency
    on conflict (day, currency) do update
    set revenue = daily_amounts.revenue + excluded.revenue,
        refunds = daily_amounts.refunds + excluded.refunds`.execute(tx);
}
