import { behind, cursorTime, cursorUuid, decodeCursor, type KeyColumn, orderBy } from '@store/shared/http/pagination';
import type { OrderQuery } from './schemas.ts';

/** Of each sort field: the column, how a cursor writes its value, and what such a value looks like. */
const columnOf = {
  createdAt: {
    sql: 'created_at',
    text: `to_char(created_at at time zone 'utc', 'YYYY-MM-DD"T"HH24:MI:SS.MS"Z"')`,
    type: 'timestamptz',
    fits: cursorTime,
  },
  status: { sql: 'status', text: 'status', type: 'text', fits: /^[A-Z]{1,20}$/ },
  total: { sql: 'total_amount', text: 'total_amount::text', type: 'numeric', fits: /^\d{1,24}(\.\d{1,4})?$/ },
  // With its table: a bare id in `order by` is the text that the statement selects by that name, which no index is sorted by.
  id: { sql: 'orders.id', text: 'id::text', type: 'uuid', fits: cursorUuid },
} as const;

/**
 * Ids of one page of an account's orders, and of each the values that a cursor behind it holds. By SQL and not by
 * Prisma, which cannot compare rows: only `(a, b) > (x, y)` lets the index start at the cursor, however many orders
 * have the same a.
 *
 * A walk shows an order twice or not at all only where the order itself moves: its status changes while a walk is
 * sorted by status, or it is being stored with a time that an ascending walk has just passed.
 */
export function pageStatement(accountId: string, { page, size, after, sort, status }: OrderQuery) {
  const sorts = [...sort, { field: 'id' as const, direction: sort[0]?.direction ?? 'desc' }];
  const order = sorts.map(({ field, direction }) => `${field},${direction}`).join(';');
  const columns = sorts.map(({ field, direction }) => ({ ...columnOf[field], direction }) satisfies KeyColumn);

  const values: unknown[] = [accountId, size];
  const conditions = ['account_id = $1::uuid', 'deleted_at is null'];
  if (status !== undefined) conditions.push(`status = $${values.push(status)}`);
  if (after !== undefined) {
    conditions.push(behind(columns, values.length + 1));
    values.push(
      ...decodeCursor(
        after,
        order,
        columns.map(({ fits }) => fits),
      ),
    );
  }
  const offset = after === undefined && page > 0 ? `offset $${values.push(page)}::bigint * $2::int` : '';
  // One row more than asked for tells whether there is a next page.
  const sql = `
    select id::text, json_build_array(${columns.map(({ text }) => text).join(', ')}) as values
    from orders where ${conditions.join(' and ')}
    order by ${orderBy(columns)} limit $2::int + 1 ${offset}`;
  return { sql, values, order };
}
