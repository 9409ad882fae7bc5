import { orderStatuses } from '@store/shared/contracts/order';
import { join, raw, type Sql, type Statements, sql } from '@store/shared/database/sql';
import type { OrderStatus } from '../order.ts';

/** How each status is counted: by its rows if there are only few, by a separate sum, or as the rest that the others leave. */
const countedBy: Record<OrderStatus, 'rows' | 'cancelled' | 'rest'> = {
  PENDING: 'rows',
  CONFIRMED: 'rest',
  CANCELLED: 'cancelled',
};
const byRows = orderStatuses.filter((status) => countedBy[status] === 'rows');

/** Small enough for a statement to end long before its time-out. */
const batchSize = 5_000;

/**
 * The number of orders that an account is shown, as a subquery. It is exact in the snapshot of its statement. PENDING orders
 * are counted by their index: there are few, and a sum for them would make confirming an order more expensive.
 */
export function orderCount(accountId: string, status: OrderStatus | undefined): Sql {
  const inRows = (statuses: OrderStatus[]) => sql`
    select count(*) from orders
    where account_id = ${accountId}::uuid and status in (${join(statuses.map((name) => raw(`'${name}'`)))}) and deleted_at is null`;
  const inCounts = (sum: Sql) => sql`(
    select coalesce(${sum}, 0) from (
      select orders, cancelled from order_counts where account_id = ${accountId}::uuid
      union all
      select orders, cancelled from order_count_changes where account_id = ${accountId}::uuid
    ) as counted
  )::int`;
  if (status === undefined) return inCounts(sql`sum(orders)`);
  switch (countedBy[status]) {
    case 'rows':
      return sql`(${inRows([status])})::int`;
    case 'cancelled':
      return inCounts(sql`sum(cancelled)`);
    case 'rest':
      return inCounts(sql`sum(orders) - sum(cancelled) - (${inRows(byRows)})`);
  }
}

/**
 * Adds up a batch of changes, so that a count reads few rows. Several workers may do this at once: the count is the same in
 * every snapshot.
 * @returns whether there may be more changes
 */
export async function addUpOrderCounts({ run }: Statements): Promise<boolean> {
  const rows = await run<{ count: number }>(sql`
    with taken as (
      delete from order_count_changes
      where ctid = any(array(select ctid from order_count_changes limit ${batchSize} for update skip locked))
      returning account_id, orders, cancelled
    ),
    added as (
      insert into order_counts as counts (account_id, orders, cancelled)
      select account_id, sum(orders), sum(cancelled) from taken group by account_id order by account_id
      on conflict (account_id) do update
        set orders = counts.orders + excluded.orders, cancelled = counts.cancelled + excluded.cancelled
    )
    select count(*)::int as count from taken`);
  return rows[0]?.count === batchSize;
}
