import type { StoredEvent } from '@store/shared/messaging/events';
import { appendToOutbox } from '@store/shared/messaging/outbox/append';
import { sql, type Transaction } from 'kysely';
import type { DB } from './generated/tables.ts';

export interface Item {
  productId: string;
  quantity: number;
}

export type ReservationStatus = 'RESERVED' | 'REJECTED' | 'RELEASED' | 'SHIPPED';

export interface Reservation {
  orderId: string;
  customerId: string;
  status: ReservationStatus;
  /** Each product once. */
  items: Item[];
  createdAt: Date;
  updatedAt: Date;
}

export type ReservationTransaction = ReturnType<typeof reservationsOn>;

const columns = [
  ...(['order_id as orderId', 'customer_id as customerId', 'status', 'items'] as const),
  ...(['created_at as createdAt', 'updated_at as updatedAt'] as const),
] as const;

/**
 * To change several rows, lock the reservation first and then the stock in the order of product ids: so there are no
 * deadlocks. Events of an order are appended under the lock of its reservation, which keeps them in order.
 */
export const reservationsOn = (tx: Transaction<DB>) => ({
  /** @returns false if the order has a reservation already */
  async insert({ orderId, customerId, status, items, createdAt, updatedAt }: Reservation): Promise<boolean> {
    const inserted = await tx
      .insertInto('reservations')
      .values({
        ...{ order_id: orderId, customer_id: customerId, status, created_at: createdAt, updated_at: updatedAt },
        items: sql<Item[]>`${JSON.stringify(items)}::jsonb`,
      })
      .onConflict((conflict) => conflict.doNothing())
      .returning('order_id')
      .executeTakeFirst();
    return inserted !== undefined;
  },

  async findForUpdate(orderId: string): Promise<Reservation | undefined> {
    const row = await tx
      .selectFrom('reservations')
      .select(columns)
      .where('order_id', '=', orderId)
      .forUpdate()
      .executeTakeFirst();
    return row as Reservation | undefined; // the database checks the status
  },

  async setStatus(orderId: string, status: ReservationStatus, updatedAt: Date): Promise<void> {
    await tx
      .updateTable('reservations')
      .set({ status, updated_at: updatedAt })
      .where('order_id', '=', orderId)
      .execute();
  },

  /** RESERVED -> SHIPPED */
  async settle(orderId: string, shipmentId: string, updatedAt: Date): Promise<void> {
    await tx
      .updateTable('reservations')
      .set({ status: 'SHIPPED', shipment_id: shipmentId, updated_at: updatedAt })
      .where('order_id', '=', orderId)
      .where('status', '=', 'RESERVED')
      .execute();
  },

  /** Locks the stock of these products. @returns what is available, by product id */
  async lockStock(productIds: string[]): Promise<Map<string, number>> {
    const rows = await tx
      .selectFrom('stock')
      .select(['product_id', 'available'])
      .where('product_id', '=', sql<string>`any(${productIds}::uuid[])`)
      .orderBy('product_id')
      .forUpdate()
      .execute();
    return new Map(rows.map((row) => [row.product_id, row.available]));
  },

  /** Adds to locked stock; negative quantities subtract. */
  async addStock(items: Item[]): Promise<void> {
    await sql`
      update stock set available = available + item.quantity
      from json_to_recordset(${JSON.stringify(items)}::json) as item("productId" uuid, quantity int)
      where product_id = item."productId"`.execute(tx);
  },

  append: (events: StoredEvent[]): Promise<void> => appendToOutbox(tx, ...events),
});
