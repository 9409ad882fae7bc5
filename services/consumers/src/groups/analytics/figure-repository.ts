import { createKeyset, cursorTime } from '@store/shared/database/keyset';
import { readCountedPage } from '@store/shared/database/read-page';
import { rowsAs } from '@store/shared/database/rows';
import { type Run, raw, type Statements, sql } from '@store/shared/database/sql';
import type { Transaction } from '@store/shared/database/transaction';
import type { Money } from '@store/shared/values/money';
import type { FiguresQuery } from './schemas.ts';

interface OnDay {
  /** 2026-01-31, in UTC */
  day: string;
}

/** The count to increase by one, and the amount that was paid or refunded. */
export type FigureChange = OnDay &
  (
    | { counted: 'orders'; money?: never }
    /** `part`: a refund of an order that stays paid, of which only the money counts. */
    | { counted: 'paid' | 'refunded' | 'part'; money: Money }
    /** Counts only if the order is not counted as cancelled yet. */
    | { counted: 'cancelled'; orderId: string; money?: never }
  );

const accepts = { test: (value: string) => cursorTime.test(`${value}T00:00:00.000Z`) };
const keyset = createKeyset('figures', { day: { sql: 'day', text: 'day::text', type: 'date', accepts } }, 'day');

const amounts = (column: string) => `(
  select coalesce(json_agg(json_build_object('amount', trim_scale(${column}), 'currency', currency) order by currency), '[]')
  from daily_amounts where daily_amounts.day = daily_figures.day and ${column} <> 0)`;
const asJson = raw(`json_build_object('day', day, 'orders', orders, 'paid', paid,
  'cancelled', cancelled, 'refunded', refunded, 'revenue', ${amounts('revenue')}, 'refunds', ${amounts('refunds')})::text`);

export type FigureRepository = ReturnType<typeof createFigureRepository>;

export const createFigureRepository = ({ run }: Statements) => ({
  list(query: FiguresQuery) {
    const figures = { select: sql`${asJson} as json`, from: sql`daily_figures` };
    return readCountedPage<{ json: string }>(run, figures, keyset(query.sort), query);
  },
});

/** Adds changes in order of day and currency, so that concurrent transactions do not deadlock. */
export async function addFigures({ run, send }: Transaction, changes: FigureChange[]): Promise<void> {
  const cancelled = await insertCancelled(
    run,
    changes.flatMap((change) => (change.counted === 'cancelled' ? change.orderId : [])),
  );
  // Deleting an order from the set succeeds only once.
  const counting = changes.filter((change) => change.counted !== 'cancelled' || cancelled.delete(change.orderId));
  const rows = counting.map(({ day, counted, money }) => ({
    day,
    counted,
    amount: money?.amount.toFixed(),
    currency: money?.currency,
  }));
  const change = rowsAs('change', rows, { day: 'date', counted: 'text', amount: 'numeric', currency: 'text' });
  send(sql`
    insert into daily_figures (day, orders, paid, cancelled, refunded)
    select day, count(*) filter (where counted = 'orders'), count(*) filter (where counted = 'paid'),
           count(*) filter (where counted = 'cancelled'), count(*) filter (where counted = 'refunded')
    from ${change} group by day order by day
    on conflict (day) do update
    set orders = daily_figures.orders + excluded.orders, paid = daily_figures.paid + excluded.paid,
        cancelled = daily_figures.cancelled + excluded.cancelled,
        refunded = daily_figures.refunded + excluded.refunded`);
  send(sql`
    insert into daily_amounts (day, currency, revenue, refunds)
    select day, currency, coalesce(sum(amount) filter (where counted = 'paid'), 0),
           coalesce(sum(amount) filter (where counted in ('refunded', 'part')), 0)
    from ${change} where amount is not null group by day, currency order by day, currency
    on conflict (day, currency) do update
    set revenue = daily_amounts.revenue + excluded.revenue,
        refunds = daily_amounts.refunds + excluded.refunds`);
}

/** Inserts in order of id, so that concurrent transactions do not deadlock. @returns orders that were not counted as cancelled */
async function insertCancelled(run: Run, orderIds: string[]): Promise<Set<string>> {
  if (orderIds.length === 0) return new Set();
  const inserted = await run<{ orderId: string }>(sql`
    insert into cancelled_orders (order_id) select id from unnest(${orderIds}::uuid[]) as id order by id
    on conflict do nothing
    returning order_id as "orderId"`);
  return new Set(inserted.map(({ orderId }) => orderId));
}
