import type { EffectTransaction } from '@store/shared/consume';
import type { StoredEvent } from '@store/shared/events';
import { appendToOutbox } from '@store/shared/outbox';
import { Prisma, type PrismaClient } from './generated/client.ts';

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
export interface ReservationTransaction extends EffectTransaction {
  /** False when the order has one already. */
  insert(reservation: Reservation): Promise<boolean>;
  findForUpdate(orderId: string): Promise<Reservation | undefined>;
  /** What is due, locked; what somebody else has locked is left for later. */
  lockDue(now: Date, limit: number): Promise<Reservation[]>;
  update(orderId: string, change: ReservationChange): Promise<void>;
  /** Locks the stock of these products and says what is available of each. */
  lockStock(productIds: string[]): Promise<Map<string, number>>;
  /** Adds to locked stock, or takes from it where negative. */
  addStock(items: Item[]): Promise<void>;
  append(events: StoredEvent[]): Promise<void>;
}

const columns = Prisma.raw(`
  order_id as "orderId", customer_id as "customerId", status, items, ship_at as "shipAt",
  shipment_id as "shipmentId", traceparent, created_at as "createdAt", updated_at as "updatedAt"`);

export interface ReservationStore {
  transaction<T>(work: (tx: ReservationTransaction) => Promise<T>): Promise<T>;
}

export function createReservationStore(prisma: PrismaClient): ReservationStore {
  return {
    transaction: (work) => prisma.$transaction((tx) => work(reservationsIn(tx)), { timeout: 60_000, maxWait: 5_000 }),
  };
}

function reservationsIn(tx: Prisma.TransactionClient): ReservationTransaction {
  return {
    $queryRawUnsafe: (sql, ...values) => tx.$queryRawUnsafe(sql, ...values),

    async insert({ items, ...reservation }) {
      const data = { ...reservation, items: items as object[] };
      const { count } = await tx.reservation.createMany({ data: [data], skipDuplicates: true });
      return count > 0;
    },

    async findForUpdate(orderId) {
      const [row] = await tx.$queryRaw<Reservation[]>`
        select ${columns} from reservations where order_id = ${orderId}::uuid for update`;
      return row;
    },

    lockDue: (now, limit) => tx.$queryRaw<Reservation[]>`
      select ${columns} from reservations where status = 'RESERVED' and ship_at <= ${now}
      order by ship_at limit ${limit}::int for update skip locked`,

    async update(orderId, change) {
      await tx.reservation.updateMany({ where: { orderId }, data: change });
    },

    async lockStock(productIds) {
      const rows = await tx.$queryRaw<{ id: string; available: number }[]>`
        select product_id as id, available from stock where product_id = any(${productIds}::uuid[])
        order by product_id for update`;
      return new Map(rows.map(({ id, available }) => [id, available]));
    },

    async addStock(items) {
      await tx.$executeRaw`
        update stock set available = available + item.quantity
        from json_to_recordset(${JSON.stringify(items)}::json) as item("productId" uuid, quantity int)
        where product_id = item."productId"`;
    },

    append: (events) => appendToOutbox(tx, ...events),
  };
}
