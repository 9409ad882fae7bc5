import type { Database } from '@store/shared/database/database';
import { createKeyset, timeColumn, uuidColumn } from '@store/shared/database/keyset';
import { sql } from 'kysely';
import type { DB } from './generated/tables.ts';
import { orderCount } from './order-count-repository.ts';
import { orderJson } from './order-repository.ts';
import type { OrderQuery } from './schemas.ts';

export interface OrderPage {
  /** An array of orders, as JSON. */
  content: string;
  totalElements: number;
  /** Cursor of the next page. */
  next: string | undefined;
}

export type OrderListRepository = ReturnType<typeof createOrderListRepository>;

const keyset = createKeyset(
  'orders',
  {
    createdAt: timeColumn('created_at', 'MS'),
    status: { sql: 'status', text: 'status', type: 'text', accepts: /^[A-Z]{1,20}$/ },
    total: { sql: 'total_amount', text: 'total_amount::text', type: 'numeric', accepts: /^\d{1,24}(\.\d{1,4})?$/ },
    id: uuidColumn('id'),
  },
  'id',
);

interface Row {
  content: string;
  total: number;
  last: string | null;
}

export function createOrderListRepository({ kysely, lists }: Database<DB>) {
  return {
    /**
     * A page of an account's orders, in one statement, whose rows PostgreSQL joins to JSON. Pagination shows an order twice
     * or not at all only if the order itself moves: its status changes while sorting by status, or it is stored with a time
     * that ascending pagination has just passed.
     */
    async page(accountId: string, query: OrderQuery): Promise<OrderPage> {
      const { size, page, after, status, customerId } = query;
      const order = keyset(query.sort);
      const behind = after === undefined ? sql`` : sql`and ${order.after(after)}`;
      if (customerId !== undefined && customerId !== accountId) {
        return { content: '[]', totalElements: 0, next: undefined };
      }
      const matching = sql`
        from orders where account_id = ${accountId}::uuid and deleted_at is null
        ${status === undefined ? sql`` : sql`and status = ${status}`}`;
      const offset = after === undefined && page > 0 ? sql`offset ${page}::bigint * ${size}::int` : sql``;
      // One row more than requested tells whether there is a next page.
      const statement = sql<Row>`
        with page as materialized (
          select id, ${order.position} as position, row_number() over (order by ${order.orderBy}) as n
          from (
            select ${sql.raw(order.key.map((column) => column.sql).join(', '))} ${matching} ${behind}
            order by ${order.orderBy} limit ${size}::int + 1 ${offset}
          ) as found
        )
        select '[' || coalesce(string_agg(${orderJson}, ',' order by n), '') || ']' as content,
               case when count(*) > ${size}::int then max(position::text) filter (where n = ${size}::int) end as last,
               ${orderCount(accountId, status)} as total
        from page left join orders on orders.id = page.id and n <= ${size}::int`;
      const [row] = await lists.inTurn(accountId, () => lists.runOnce(statement.compile(kysely)));
      const { content = '[]', total = 0, last = null } = row ?? {};
      return { content, totalElements: total, next: last === null ? undefined : order.cursorOf(JSON.parse(last)) };
    },
  };
}
