import type { Database } from '@store/shared/database/database';
import { eventsOf, type OutboxEvent } from '@store/shared/messaging/outbox/events-of';
import { sql } from 'kysely';
import type { DB } from '../generated/tables.ts';
import type { Line, Order } from '../order.ts';
import { orderColumns, orderItems, toOrder } from '../order-repository.ts';

/** An order as operators see it: of any customer, and whether its owner has deleted it. */
export interface OrderRecord extends Order {
  deletedAt: Date | null;
  events: OutboxEvent[];
}

/** An order as inventory needs it. */
export interface Demand extends Pick<Order, 'total'> {
  orderId: string;
  items: Line[];
}

const mostOrders = 50;

export type OrderRecordRepository = ReturnType<typeof createOrderRecordRepository>;

/** Reads as lists do: what operators ask never holds the connections of customers. */
export function createOrderRecordRepository({ lists: { kysely } }: Database<DB>) {
  const select = kysely.selectFrom('orders').select([...orderColumns, orderItems, 'deleted_at as deletedAt']);
  return {
    async find(orderId: string): Promise<OrderRecord | undefined> {
      const row = await select.where('id', '=', orderId).executeTakeFirst();
      if (row === undefined) return undefined;
      const order = { ...toOrder(row), deletedAt: row.deletedAt };
      return { ...order, events: await eventsOf(kysely, { orderId, ...order }) };
    },

    async demandsOf(orderIds: string[]): Promise<Demand[]> {
      const rows = await select.where('id', '=', sql<string>`any(${orderIds}::uuid[])`).execute();
      return rows.map(toOrder).map(({ id, items, total }) => ({
        orderId: id,
        items: items.map(({ productId, quantity }) => ({ productId, quantity })),
        total,
      }));
    },

    /** The latest ones, deleted ones included. */
    async latestOf(accountId: string): Promise<Order[]> {
      const rows = await select
        .where('account_id', '=', accountId)
        .orderBy('created_at', 'desc')
        .limit(mostOrders)
        .execute();
      return rows.map(toOrder);
    },
  };
}
