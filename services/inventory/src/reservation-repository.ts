import type { Database } from '@store/shared/database/database';
import { createKeyset, isoTime, uuidColumn } from '@store/shared/database/keyset';
import { type PageQuery, readPage } from '@store/shared/database/read-page';
import { rowsAs } from '@store/shared/database/rows';
import { eventsOf } from '@store/shared/messaging/outbox/events-of';
import { sql, type Transaction } from 'kysely';
import type { PrismaClient } from './generated/client.ts';
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
}

/** Pieces of a product. */
export interface Taken {
  customerId: string;
  productId: string;
  quantity: number;
  /** Those of them that are reserved now. */
  reserved: number;
}

export interface StatusChange {
  orderId: string;
  status: ReservationStatus;
  shipmentId?: string;
}

const keyset = createKeyset('reservations', { orderId: uuidColumn('order_id') }, 'orderId');

const asJson = sql<string>`${sql.raw(`json_build_object('orderId', order_id, 'status', status, 'items', items,
  'createdAt', ${isoTime('created_at', 'MS')}, 'updatedAt', ${isoTime('updated_at', 'MS')})`)}::text`;

export type ReservationRepository = ReturnType<typeof createReservationRepository>;

export function createReservationRepository(prisma: PrismaClient, { lists }: Database<DB>) {
  return {
    /** A page of all reservations of a customer. */
    pageOf: (customerId: string, page: PageQuery) =>
      lists.inTurn(customerId, () =>
        readPage(
          lists.kysely.selectFrom('reservations').select(asJson.as('json')).where('customer_id', '=', customerId),
          keyset([{ field: 'orderId', direction: 'asc' }]),
          page,
        ),
      ),
    /** Finds the reservation of an order, of any customer, with the events that were written about it. */
    async find(orderId: string) {
      const hidden = { shipAt: true, shipmentId: true, traceparent: true } as const;
      const row = await prisma.reservation.findUnique({ where: { orderId }, omit: hidden });
      if (row === null) return undefined;
      const { createdAt, updatedAt, ...reservation } = row as typeof row & Reservation; // the database checks the status
      const events = await eventsOf(lists.kysely, orderId);
      return { ...reservation, createdAt: createdAt.toISOString(), updatedAt: updatedAt.toISOString(), events };
    },
  };
}

/**
 * Changes rows. Callers insert missing reservations first, then lock existing ones, then stock, each in the order of ids:
 * so there are no deadlocks. Events of an order are appended under the lock of its reservation, which keeps them in order.
 */
export const reservationsOn = (tx: Transaction<DB>) => ({
  /** Stores the reservations of orders that have none. @returns the ids of these orders */
  async insertMissing(reservations: Reservation[], now: Date): Promise<string[]> {
    const rows = reservations.map(({ items, ...order }) => ({ ...order, items: JSON.stringify(items) }));
    const inserted = await sql<{ orderId: string }>`
      insert into reservations (order_id, customer_id, status, items, created_at, updated_at)
      select "orderId", "customerId", status, items, ${now}::timestamptz, ${now}::timestamptz
      from ${rowsAs('reservation', rows, { orderId: 'uuid', customerId: 'uuid', status: 'text', items: 'jsonb' })}
      order by "orderId"
      on conflict do nothing
      returning order_id as "orderId"`.execute(tx);
    return inserted.rows.map(({ orderId }) => orderId);
  },

  /** Locks the reservations of these orders. */
  async lock(orderIds: string[]): Promise<Reservation[]> {
    const rows = await tx
      .selectFrom('reservations')
      .select(['order_id as orderId', 'customer_id as customerId', 'status', 'items'])
      .where('order_id', '=', sql<string>`any(${orderIds}::uuid[])`)
      .orderBy('order_id')
      .forUpdate()
      .execute();
    return rows as Reservation[]; // the database checks the status
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

  /**
   * What other orders of these customers, placed since then, have taken of these products, whose stock is locked: also what they have
   * given back, but not what has left.
   */
  async taken(by: { customerIds: string[]; productIds: string[]; since: Date; except: string[] }): Promise<Taken[]> {
    const { rows } = await sql<Taken>`
      select customer_id as "customerId", item."productId", sum(item.quantity)::float8 as quantity,
             coalesce(sum(item.quantity) filter (where status = 'RESERVED'), 0)::float8 as reserved
      from reservations, jsonb_to_recordset(items) as item("productId" uuid, quantity bigint)
      where customer_id = any(${by.customerIds}::uuid[]) and created_at > ${by.since}
        and status in ('RESERVED', 'RELEASED') and order_id <> all(${by.except}::uuid[])
        and item."productId" = any(${by.productIds}::uuid[])
      group by customer_id, item."productId"`.execute(tx);
    return rows;
  },

  /** Sets the statuses of locked reservations. */
  async setStatuses(changes: StatusChange[], now: Date): Promise<void> {
    await sql`
      update reservations
      set status = change.status, shipment_id = coalesce(change."shipmentId", shipment_id), updated_at = ${now}
      from ${rowsAs('change', changes, { orderId: 'uuid', status: 'text', shipmentId: 'uuid' })}
      where order_id = change."orderId"`.execute(tx);
  },

  /** Sets the stock of locked products, each once. */
  async setStock(stock: { productId: string; available: number }[]): Promise<void> {
    await sql`
      update stock set available = change.available
      from ${rowsAs('change', stock, { productId: 'uuid', available: 'int' })}
      where product_id = change."productId"`.execute(tx);
  },
});
