import { orderStatuses } from '@store/shared/contracts/order';
import type { Database } from '@store/shared/database/database';
import { beginsWith, createKeyset, timeColumn, uuidColumn } from '@store/shared/database/keyset';
import type { Page } from '@store/shared/database/read-page';
import { join, type Sql, sql } from '@store/shared/database/sql';
import type { PrismaClient } from '../generated/client.ts';
import type { OrderStatus } from '../order.ts';
import type { AllOrdersQuery } from '../schemas.ts';
import { orderForOthersAsJson } from './order-json-repository.ts';

export type AllOrdersRepository = ReturnType<typeof createAllOrdersRepository>;

const newestFirst = createKeyset(
  'all-orders',
  { createdAt: timeColumn('created_at', 'MS'), id: uuidColumn('id') },
  'id',
)([{ field: 'createdAt', direction: 'desc' }]);

/**
 * Conditions that together select the orders of an account or of all accounts, including deleted orders. Each is a range of
 * an index that is ordered by time.
 */
export function rangeConditions(accountId: string | undefined, statuses: readonly OrderStatus[]): Sql[] {
  if (accountId === undefined) return statuses.map((status) => sql`status = ${status}`);
  const own = sql`account_id = ${accountId}::uuid`;
  return [
    sql`${own} and deleted_at is not null and status = any(${statuses}::text[])`,
    ...statuses.map((status) => sql`${own} and status = ${status} and deleted_at is null`),
  ];
}

function conditionsOf(query: AllOrdersQuery): Sql[] {
  const { createdFrom, createdTo, minTotal, maxTotal, currency, idPrefix, after } = query;
  const conditions: Sql[] = [];
  if (createdFrom !== undefined) conditions.push(sql`created_at >= ${createdFrom}::timestamptz`);
  // Left out if the cursor is earlier: PostgreSQL would read the index from `createdTo` on, with all pages already shown.
  const [shown = ''] = after === undefined ? [] : newestFirst.positionOf(after);
  if (createdTo !== undefined && (after === undefined || new Date(shown) >= createdTo))
    conditions.push(sql`created_at < ${createdTo}::timestamptz`);
  if (minTotal !== undefined) conditions.push(sql`total_amount >= ${minTotal}::numeric`);
  if (maxTotal !== undefined) conditions.push(sql`total_amount <= ${maxTotal}::numeric`);
  if (currency !== undefined) conditions.push(sql`currency = ${currency}`);
  if (idPrefix !== undefined) conditions.push(beginsWith('id', idPrefix));
  if (after !== undefined) conditions.push(newestFirst.after(after));
  return conditions;
}

/** The orders of all customers, for operators. */
export function createAllOrdersRepository({ lists }: Database<PrismaClient>) {
  return {
    /**
     * A page, newest orders first, merged from the beginnings of one range per status. If only few orders match an amount,
     * PostgreSQL reads them by another index and sorts them.
     */
    async page(query: AllOrdersQuery): Promise<Page<{ json: string }>> {
      const { accountId, status, size } = query;
      const limit = size + 1;
      const conditions = conditionsOf(query);
      const ranges = rangeConditions(accountId, status === undefined ? orderStatuses : [status]).map(
        (part) => sql`(
          select id, created_at from orders where ${join([part, ...conditions], ' and ')}
          order by ${newestFirst.orderBy} limit ${limit}::int
        )`,
      );
      const statement = sql`
        with page as materialized (
          select id, (${newestFirst.position})::text as position, row_number() over (order by ${newestFirst.orderBy}) as n
          from (
            select * from (${join(ranges, ' union all ')}) as ranges
            order by ${newestFirst.orderBy} limit ${limit}::int
          ) as found
        )
        select ${orderForOthersAsJson} as json, position from page join orders on orders.id = page.id order by n`;
      // Planned for its values, because they decide which index is best.
      const found = await lists.inTurn(undefined, () => lists.runOnce<{ json: string; position: string }>(statement));
      const last = found.length > size ? found[size - 1] : undefined;
      return { rows: found.slice(0, size), next: last && newestFirst.cursorOf(JSON.parse(last.position)) };
    },
  };
}
