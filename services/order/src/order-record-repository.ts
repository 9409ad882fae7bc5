import { orderOut, orderStatuses } from '@store/shared/contracts/order';
import type { Database } from '@store/shared/database/database';
import { createKeyset, timeColumn, uuidColumn } from '@store/shared/database/keyset';
import { type CountedPage, type PageQuery, readCountedPage } from '@store/shared/database/read-page';
import { eventsOf, type OutboxEvent } from '@store/shared/messaging/outbox/events-of';
import { parseJson } from '@store/shared/values/json';
import type { Money } from '@store/shared/values/money';
import { sql } from 'kysely';
import type { DB } from './generated/tables.ts';
import type { Line, Order } from './order.ts';
import { orderColumns } from './order-repository.ts';

/** An order as operators see it: of any customer, and whether its owner has deleted it. */
export interface OrderRecord extends Order {
  deletedAt: Date | null;
  events: OutboxEvent[];
}

/** An order as inventory needs it. */
export interface Demand {
  orderId: string;
  total: Money;
  items: Line[];
}

const maxOrders = 50;

/** The index of PENDING orders has this order. */
const oldestFirst = createKeyset(
  'stuck-orders',
  { createdAt: timeColumn('created_at', 'MS'), id: uuidColumn('id') },
  'id',
)([{ field: 'createdAt', direction: 'asc' }]);

export type OrderRecordRepository = ReturnType<typeof createOrderRecordRepository>;

/** Reads as lists do: what operators ask never holds the connections of customers. */
export function createOrderRecordRepository({ lists: { kysely } }: Database<DB>) {
  const select = kysely.selectFrom('orders').select([...orderColumns, 'deleted_at as deletedAt']);
  return {
    async find(orderId: string): Promise<OrderRecord | undefined> {
      const row = await select.where('id', '=', orderId).executeTakeFirst();
      if (row === undefined) return undefined;
      return { ...row, events: await eventsOf(kysely, orderId) };
    },

    async demandsOf(orderIds: string[]): Promise<Demand[]> {
      const rows = await select.where('id', '=', sql<string>`any(${orderIds}::uuid[])`).execute();
      return rows.map(({ id, json }) => {
        const { items, total } = orderOut.parse(parseJson(json));
        return { orderId: id, items: items.map(({ productId, quantity }) => ({ productId, quantity })), total };
      });
    },

    /** Orders that were placed before a time and are still PENDING, the oldest first. */
    stuck(placedBefore: Date, page: PageQuery): Promise<CountedPage<Order>> {
      const late = select.where('status', '=', sql.lit('PENDING')).where('created_at', '<', placedBefore);
      return readCountedPage(kysely, late, oldestFirst, page);
    },

    /** The latest ones, deleted ones included. */
    latestOf(accountId: string): Promise<Order[]> {
      /** Each is a range of an index. */
      const ranges = [
        sql<boolean>`deleted_at is not null`,
        ...orderStatuses.map((status) => sql<boolean>`status = ${status} and deleted_at is null`),
      ].map(
        (range) => sql`(
          select id, created_at from orders where account_id = ${accountId}::uuid and ${range}
          order by created_at desc limit ${maxOrders}
        )`,
      );
      const latest = sql<string>`(
        select id from (${sql.join(ranges, sql` union all `)}) as ranges order by created_at desc limit ${maxOrders}
      )`;
      return select.where('id', 'in', latest).orderBy('created_at', 'desc').execute();
    },
  };
}
