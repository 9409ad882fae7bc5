import type { Query, Transact } from '@store/shared/database/query';
import type { HandlerTransaction } from '@store/shared/messaging/consumer/consumer';
import type { StoredEvent } from '@store/shared/messaging/events';
import { appendToOutbox } from '@store/shared/messaging/outbox/relay';

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
  shipAt?: Date | null;
  shipmentId?: string | null;
  traceparent?: string | null;
  createdAt: Date;
  updatedAt: Date;
}

type ReservationChange = Partial<Pick<Reservation, 'status' | 'shipAt' | 'shipmentId' | 'traceparent'>> &
  Pick<Reservation, 'updatedAt'>;

/**
 * Whoever changes several rows takes the reservation first and then the stock in the order of product ids, so nobody
 * waits in a circle; and every event of an order is appended under the lock of its reservation, which keeps their order.
 */
export interface ReservationTransaction extends HandlerTransaction {
  /** False when the order has one already. */
  insert(reservation: Reservation): Promise<boolean>;
  findForUpdate(orderId: string): Promise<Reservation | undefined>;
  /** What is due, locked; what somebody else has locked is left for later. */
  lockDue(now: Date, limit: number): Promise<Reservation[]>;
  /** What is left out stays as it is. */
  update(orderId: string, change: ReservationChange): Promise<void>;
  /** Locks the stock of these products and says what is available of each. */
  lockStock(productIds: string[]): Promise<Map<string, number>>;
  /** Adds to locked stock, or takes from it where negative. */
  addStock(items: Item[]): Promise<void>;
  append(events: StoredEvent[]): Promise<void>;
}

const columns = `
  order_id as "orderId", customer_id as "customerId", status, items, ship_at as "shipAt",
  shipment_id as "shipmentId", traceparent, created_at as "createdAt", updated_at as "updatedAt"`;

export interface ReservationRepository {
  transaction<T>(work: (tx: ReservationTransaction) => Promise<T>): Promise<T>;
}

export function createReservationRepository(transact: Transact): ReservationRepository {
  return { transaction: (work) => transact((query) => work(reservationsIn(query))) };
}

const reservationsIn = (query: Query): ReservationTransaction => ({
  query,

  async insert({ orderId, customerId, status, items, createdAt, updatedAt }) {
    const inserted = await query(
      `insert into reservations (order_id, customer_id, status, items, created_at, updated_at)
       values ($1, $2, $3, $4, $5, $6) on conflict do nothing returning 1`,
      ...[orderId, customerId, status, JSON.stringify(items), createdAt, updatedAt],
    );
    return inserted.length > 0;
  },

  async findForUpdate(orderId) {
    const sql = `select ${columns} from reservations where order_id = $1 for update`;
    const [row] = await query<Reservation>(sql, orderId);
    return row;
  },

  lockDue: (now, limit) =>
    query<Reservation>(
      `select ${columns} from reservations where status = 'RESERVED' and ship_at <= $1
       order by ship_at limit $2 for update skip locked`,
      ...[now, limit],
    ),

  async update(orderId, { status, shipAt, shipmentId, traceparent, updatedAt }) {
    await query(
      `update reservations set status = coalesce($2, status), ship_at = coalesce($3, ship_at),
         shipment_id = coalesce($4, shipment_id), traceparent = coalesce($5, traceparent), updated_at = $6
       where order_id = $1`,
      ...[orderId, status, shipAt, shipmentId, traceparent, updatedAt],
    );
  },

  async lockStock(productIds) {
    const rows = await query<{ id: string; available: number }>(
      `select product_id as id, available from stock where product_id = any($1::uuid[])
       order by product_id for update`,
      productIds,
    );
    return new Map(rows.map(({ id, available }) => [id, available]));
  },

  async addStock(items) {
    await query(
      `update stock set available = available + item.quantity
       from json_to_recordset($1::json) as item("productId" uuid, quantity int)
       where product_id = item."productId"`,
      JSON.stringify(items),
    );
  },

  append: (events) => appendToOutbox(query, ...events),
});
