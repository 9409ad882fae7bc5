import type { Database } from '@store/shared/database/database';
import { createKeyset, isoTime, uuidColumn } from '@store/shared/database/keyset';
import { type PageQuery, readPage } from '@store/shared/database/read-page';
import { rowsAs } from '@store/shared/database/rows';
import { raw, sql } from '@store/shared/database/sql';
import type { Transaction } from '@store/shared/database/transaction';
import { eventsOf } from '@store/shared/messaging/outbox/events-of';
import type { PrismaClient } from './generated/client.ts';

export interface Item {
  productId: string;
  quantity: number;
}

/** Checked by the database. */
export type ReservationStatus = 'RESERVED' | 'REJECTED' | 'RELEASED' | 'SHIPPED';

export interface Reservation {
  orderId: string;
  customerId: string;
  status: ReservationStatus;
  /** Each product once. */
  items: Item[];
}

/** Pieces of a product that orders of a customer have taken. */
export interface Taken {
  customerId: string;
  productId: string;
  quantity: number;
  /** Pieces of `quantity` that are still reserved. */
  reserved: number;
}

export interface StatusChange {
  orderId: string;
  status: ReservationStatus;
  shipmentId?: string;
}

const keyset = createKeyset('reservations', { orderId: uuidColumn('order_id') }, 'orderId');

const asJson = raw(`json_build_object('orderId', order_id, 'status', status, 'items', items,
  'createdAt', ${isoTime('created_at', 'MS')}, 'updatedAt', ${isoTime('updated_at', 'MS')})::text`);

export type ReservationRepository = ReturnType<typeof createReservationRepository>;

export function createReservationRepository({ prisma, lists }: Database<PrismaClient>) {
  return {
    /** A page of the customer's reservations. */
    pageOf: (customerId: string, page: PageQuery) =>
      lists.inTurn(customerId, () =>
        readPage<{ json: string }>(
          lists.run,
          {
            select: sql`${asJson} as json`,
            from: sql`reservations`,
            where: [sql`customer_id = ${customerId}::uuid`],
          },
          keyset([{ field: 'orderId', direction: 'asc' }]),
          page,
        ),
      ),
    /** Finds the reservation of any customer's order, with the events about it. */
    async find(orderId: string) {
      const hidden = { shipAt: true, shipmentId: true, traceparent: true } as const;
      const row = await prisma.reservation.findUnique({ where: { orderId }, omit: hidden });
      if (row === null) return undefined;
      const { createdAt, updatedAt, ...reservation } = row as typeof row & Reservation;
      const events = await eventsOf(lists, orderId);
      return { ...reservation, createdAt: createdAt.toISOString(), updatedAt: updatedAt.toISOString(), events };
    },
  };
}

/**
 * Callers insert missing reservations first, then lock existing ones, then lock stock, each in order of id, so there are
 * no deadlocks. Events of an order are appended under the lock of its reservation, which keeps them in order.
 */
export const reservationsOn = ({ run, send }: Transaction) => ({
  /** Stores the reservations of orders that have none. @returns the ids of these orders */
  async insertMissing(reservations: Reservation[], now: Date): Promise<string[]> {
    const rows = reservations.map(({ items, ...order }) => ({ ...order, items: JSON.stringify(items) }));
    const inserted = await run<{ orderId: string }>(sql`
      insert into reservations (order_id, customer_id, status, items, created_at, updated_at)
      select "orderId", "customerId", status, items, ${now}::timestamptz, ${now}::timestamptz
      from ${rowsAs('reservation', rows, { orderId: 'uuid', customerId: 'uuid', status: 'text', items: 'jsonb' })}
      order by "orderId"
      on conflict do nothing
      returning order_id as "orderId"`);
    return inserted.map(({ orderId }) => orderId);
  },

  /** Locks the reservations of these orders. */
  lock(orderIds: string[]): Promise<Reservation[]> {
    return run<Reservation>(sql`
      select order_id as "orderId", customer_id as "customerId", status, items
      from reservations where order_id = any(${orderIds}::uuid[]) order by order_id for update`);
  },

  /** Locks the stock of these products. @returns what is available, by product id */
  async lockStock(productIds: string[]): Promise<Map<string, number>> {
    const rows = await run<{ productId: string; available: number }>(sql`
      select product_id as "productId", available
      from stock where product_id = any(${productIds}::uuid[]) order by product_id for update`);
    return new Map(rows.map((row) => [row.productId, row.available]));
  },

  /**
   * Pieces of these products that other orders of these customers have taken since then. Released pieces count, shipped
   * ones do not. The stock of the products must be locked.
   */
  taken(by: { customerIds: string[]; productIds: string[]; since: Date; except: string[] }): Promise<Taken[]> {
    return run<Taken>(sql`
      select customer_id as "customerId", item."productId", sum(item.quantity)::float8 as quantity,
             coalesce(sum(item.quantity) filter (where status = 'RESERVED'), 0)::float8 as reserved
      from reservations, jsonb_to_recordset(items) as item("productId" uuid, quantity bigint)
      where customer_id = any(${by.customerIds}::uuid[]) and created_at > ${by.since}
        and status in ('RESERVED', 'RELEASED') and order_id <> all(${by.except}::uuid[])
        and item."productId" = any(${by.productIds}::uuid[])
      group by customer_id, item."productId"`);
  },

  /** Sets the statuses of locked reservations. */
  setStatuses(changes: StatusChange[], now: Date): void {
    send(sql`
      update reservations
      set status = change.status, shipment_id = coalesce(change."shipmentId", shipment_id), updated_at = ${now}
      from ${rowsAs('change', changes, { orderId: 'uuid', status: 'text', shipmentId: 'uuid' })}
      where order_id = change."orderId"`);
  },

  /** Sets the stock of locked products. Each product must occur only once. */
  setStock(stock: { productId: string; available: number }[]): void {
    send(sql`
      update stock set available = change.available
      from ${rowsAs('change', stock, { productId: 'uuid', available: 'int' })}
      where product_id = change."productId"`);
  },
});
