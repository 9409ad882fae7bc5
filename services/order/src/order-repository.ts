import type { Query } from '@store/shared/database/query';
import type { Cursor } from '@store/shared/http/pagination';
import type { StoredEvent } from '@store/shared/messaging/events';
import { appendToOutbox } from '@store/shared/messaging/outbox/relay';
import { Decimal } from '@store/shared/values/money';
import type { Prisma, PrismaClient } from './generated/client.ts';
import { type InsertOutcome, insertOrder } from './insert-order.ts';
import type { Order, OrderStatus, StoredReply } from './order.ts';
import { pageStatement } from './page-statement.ts';
import type { OrderQuery } from './schemas.ts';

export interface OrderPage {
  orders: Order[];
  totalElements: number;
  next: Cursor | undefined;
}

type OrderChange = Partial<Pick<Order, 'status' | 'updatedAt' | 'cancelledAt' | 'cancelReason'> & { deletedAt: Date }>;

export interface OrderTransaction {
  findForUpdate(accountId: string, orderId: string): Promise<Order | undefined>;
  update(orderId: string, change: OrderChange): Promise<void>;
  append(event: StoredEvent): Promise<void>;
}

export interface OrderRepository {
  insert(order: Order, event: StoredEvent, reply: ({ key: string } & StoredReply) | undefined): Promise<InsertOutcome>;
  /** The reply stored under a key within the last 24 hours. */
  findReply(accountId: string, key: string, now: Date): Promise<StoredReply | undefined>;
  find(accountId: string, orderId: string): Promise<Order | undefined>;
  list(accountId: string, query: OrderQuery): Promise<OrderPage>;
  /** Deletes the replies that are remembered no longer, and says how many they were. */
  deleteExpiredReplies(now: Date): Promise<number>;
  transaction<T>(work: (tx: OrderTransaction) => Promise<T>): Promise<T>;
}

/** decisions 4: how long an Idempotency-Key is remembered. */
export const keepRepliesMs = 24 * 60 * 60 * 1000;

/** Few enough that a statement is done long before its time-out, however many there are. */
const deleteBatchSize = 5_000;

const withItems = { items: { orderBy: { position: 'asc' } } } as const;
type OrderRow = Prisma.OrderGetPayload<{ include: typeof withItems }>;

export function createOrderRepository(prisma: PrismaClient, query: Query): OrderRepository {
  return {
    insert: (order, event, reply) => insertOrder(query, order, event, reply),

    async findReply(accountId, key, now) {
      const [row] = await query<Omit<StoredReply, 'replayed'>>(
        `select request_hash as "requestHash", location, body from idempotency_keys
         where account_id = $1 and key = $2 and created_at >= $3`,
        ...[accountId, key, new Date(now.getTime() - keepRepliesMs)],
      );
      return row && { ...row, replayed: false };
    },

    async find(accountId, orderId) {
      const row = await prisma.order.findFirst({
        where: { id: orderId, accountId, deletedAt: null },
        include: withItems,
      });
      return row === null ? undefined : toOrder(row);
    },

    async list(accountId, asked) {
      const { size, status, customerId } = asked;
      const { sql, values, order } = pageStatement(accountId, asked);
      if (customerId !== undefined && customerId !== accountId)
        return { orders: [], totalElements: 0, next: undefined };
      const [keys, totalElements] = await Promise.all([
        prisma.$queryRawUnsafe<{ id: string; values: string[] }[]>(sql, ...values),
        prisma.order.count({ where: { accountId, deletedAt: null, ...(status === undefined ? {} : { status }) } }),
      ]);
      const ids = keys.slice(0, size).map(({ id }) => id);
      const rows = await prisma.order.findMany({ where: { id: { in: ids } }, include: withItems });
      const rowOf = new Map(rows.map((row) => [row.id, row]));
      const last = keys.length > size ? keys[size - 1] : undefined;
      return {
        orders: ids.flatMap((id) => rowOf.get(id) ?? []).map(toOrder),
        totalElements,
        next: last && { order, values: last.values },
      };
    },

    async deleteExpiredReplies(now) {
      const oldest = new Date(now.getTime() - keepRepliesMs);
      for (let count = 0; ; ) {
        const deleted = await prisma.$executeRaw`
          delete from idempotency_keys where (account_id, key) in (
            select account_id, key from idempotency_keys where created_at < ${oldest} limit ${deleteBatchSize})`;
        count += deleted;
        if (deleted < deleteBatchSize) return count;
      }
    },

    transaction: (work) =>
      prisma.$transaction((tx) =>
        work({
          async findForUpdate(accountId, orderId) {
            await tx.$queryRaw`select from orders where id = ${orderId}::uuid for update`;
            const row = await tx.order.findFirst({
              where: { id: orderId, accountId, deletedAt: null },
              include: withItems,
            });
            return row === null ? undefined : toOrder(row);
          },
          async update(orderId, change) {
            await tx.order.update({ where: { id: orderId }, data: change });
          },
          append: (event) => appendToOutbox((sql, ...values) => tx.$queryRawUnsafe(sql, ...values), event),
        }),
      ),
  };
}

function toOrder({ totalAmount, currency, status, items, ...row }: OrderRow): Order {
  return {
    ...row,
    status: status as OrderStatus, // the database checks it
    total: { amount: new Decimal(totalAmount.toFixed()), currency },
    items: items.map((item) => ({
      productId: item.productId,
      quantity: item.quantity,
      unitPrice: new Decimal(item.unitPrice.toFixed()),
    })),
  };
}
