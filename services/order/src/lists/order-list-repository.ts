import { orderStatuses } from '@store/shared/contracts/order';
import type { Database } from '@store/shared/database/database';
import {
  createKeyset,
  type KeysetOrder,
  orderByKey,
  rowsAfter,
  timeColumn,
  uuidColumn,
} from '@store/shared/database/keyset';
import { empty, join, raw, type Sql, sql } from '@store/shared/database/sql';
import type { PrismaClient } from '../generated/client.ts';
import type { OrderStatus } from '../order.ts';
import { orderOfKey } from '../placing/idempotency-repository.ts';
import type { OrderQuery } from '../schemas.ts';
import { orderCount } from './order-count-repository.ts';
import { orderAsJson } from './order-json-repository.ts';

export type OrderListRepository = ReturnType<typeof createOrderListRepository>;

// A cursor may name a status of a later release. This release finds no orders with it.
const keyset = createKeyset(
  'orders',
  {
    createdAt: timeColumn('created_at', 'MS'),
    status: { sql: 'status', text: 'status', type: 'text', accepts: /^[A-Z_]{1,40}$/ },
    total: { sql: 'total_amount', text: 'total_amount::text', type: 'numeric', accepts: /^\d{1,24}(\.\d{1,4})?$/ },
    id: uuidColumn('id'),
  },
  'id',
);

/** Ties are ordered by id in the direction of the last field, like the indexes. */
function orderOf(sort: OrderQuery['sort']): KeysetOrder {
  const direction = sort.at(-1)?.direction ?? 'asc';
  return keyset(sort.some(({ field }) => field === 'id') ? sort : [...sort, { field: 'id', direction }]);
}

const isStatus = ({ sql: column }: { sql: string }) => column === 'status';

/**
 * The condition for the orders of a status that come after a position.
 * @returns undefined if there are none, because all orders of the status come before it
 */
function conditionAfter({ key }: KeysetOrder, position: string[], status: OrderStatus): Sql | undefined {
  const [first, ...rest] = key;
  const [at = '', ...restOfPosition] = position;
  if (first === undefined || !isStatus(first)) return sql`and ${rowsAfter(key, position)}`;
  if (status === at) return sql`and ${rowsAfter(rest, restOfPosition)}`;
  return status > at === (first.direction === 'asc') ? empty : undefined;
}

/** The conditions of a query besides the status. An Idempotency-Key finds its order until it expires. */
function filtersOf(accountId: string, query: OrderQuery, now: Date): Sql[] {
  const { idempotencyKey, createdFrom, createdTo, metadata } = query;
  const filters: Sql[] = [];
  if (createdFrom) filters.push(sql`and created_at >= ${createdFrom}::timestamptz`);
  if (createdTo) filters.push(sql`and created_at < ${createdTo}::timestamptz`);
  if (idempotencyKey !== undefined) {
    filters.push(sql`and id = (${orderOfKey(accountId, idempotencyKey, now)})`);
  }
  if (metadata !== undefined) {
    filters.push(sql`and id in (
      select order_id from order_details
      where account_id = ${accountId}::uuid and metadata @> ${JSON.stringify(metadata)}::jsonb
    )`);
  }
  return filters;
}

/** A longer page is read in rows of ten orders, because 100 large orders are 1.6 MB (JsonText). This costs a tenth more. */
const maxInOneRow = 20;

interface Row {
  /** Orders as JSON, separated by commas; null in the row of an empty page, or of the order that follows the page. */
  orders: string | null;
  count: number;
  total: number;
  last: string | null;
}

export function createOrderListRepository({ lists }: Database<PrismaClient>) {
  return {
    /**
     * Reads a page of an account's orders with one statement, in which PostgreSQL builds the JSON. Each status of an account
     * is a range of an index, and a page is merged from the beginnings of three ranges. Pagination shows an order twice or not
     * at all only if the order itself moves: its status changes while sorting by status, or it is stored with a time that
     * ascending pagination has just passed.
     */
    async page(accountId: string, query: OrderQuery, now: Date) {
      const { size, page, after, status, customerId } = query;
      const order = orderOf(query.sort);
      const position = after === undefined ? undefined : order.positionOf(after);
      if (customerId !== undefined && customerId !== accountId) {
        return { content: [], totalElements: 0, next: undefined };
      }
      const columns = raw(order.key.map((column) => column.sql).join(', '));
      const filters = filtersOf(accountId, query, now);
      const only = filters.length === 0 ? empty : join(filters, ' ');
      const offset = position === undefined ? page * size : 0;
      // One row more than requested shows whether there is a next page.
      const limit = size + 1;
      const statuses = status === undefined ? orderStatuses : [status];
      const ranges = statuses.flatMap((name) => {
        const condition = position === undefined ? empty : conditionAfter(order, position, name);
        if (condition === undefined) return [];
        return sql`(
          select ${columns} from orders
          where account_id = ${accountId}::uuid and status = ${name} and deleted_at is null ${condition} ${only}
          order by ${orderByKey(order.key.filter((column) => !isStatus(column)))} limit ${offset + limit}::int
        )`;
      });
      if (ranges.length === 0) ranges.push(sql`(select ${columns} from orders where false)`);
      const count =
        filters.length === 0
          ? orderCount(accountId, status)
          : sql`(
              select count(*)::int from orders
              where account_id = ${accountId}::uuid and deleted_at is null and status = any(${statuses}::text[]) ${only}
            )`;
      const isShort = size <= maxInOneRow;
      // An empty page must also have a group, so there is always at least one row.
      const pages = isShort ? sql`page` : sql`(values (1)) as always left join page on true`;
      const groups = isShort ? empty : sql`group by (n - 1) / 10 order by (n - 1) / 10`;
      const statement = sql`
        with page as materialized (
          select id, ${order.position} as position, row_number() over (order by ${order.orderBy}) as n
          from (
            select * from (${join(ranges, ' union all ')}) as ranges
            order by ${order.orderBy} limit ${limit}::int offset ${offset}::int
          ) as found
        )
        select string_agg(${orderAsJson}, ',' order by n) filter (where orders.id is not null) as orders,
               count(n)::int as count, ${count} as total,
               max(position::text) filter (where n = ${size}::int) as last
        from ${pages} left join orders on orders.id = page.id and n <= ${size}::int ${groups}`;
      // Planned for its values, because reading in the order of an index is worth more for an account with a million orders.
      const rows = await lists.inTurn(accountId, () => lists.runOnce<Row>(statement));
      const content = rows.flatMap(({ orders }) => (orders === null ? [] : [orders]));
      const isMore = rows.reduce((sum, row) => sum + row.count, 0) > size;
      const last = rows.find((row) => row.last !== null)?.last ?? '';
      return {
        content,
        totalElements: rows[0]?.total ?? 0,
        next: isMore ? order.cursorOf(JSON.parse(last)) : undefined,
      };
    },
  };
}
