import type { StoredEvent } from '@store/shared/events';
import { Decimal } from '@store/shared/money';
import { type Cursor, decodeCursor } from '@store/shared/page';
import type { Prisma, PrismaClient } from './generated/client.ts';
import { type InsertOutcome, insertOrder } from './insert-order.ts';
import type { Order, OrderStatus } from './order.ts';
import type { OrderQuery } from './schemas.ts';

/** What answered a request with an Idempotency-Key. */
export interface StoredReply {
  requestHash: string;
  location: string;
  /** JSON */
  body: string;
  replayed: boolean;
}

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

export interface OrderStore {
  insert(order: Order, event: StoredEvent, reply: ({ key: string } & StoredReply) | undefined): Promise<InsertOutcome>;
  /** The reply stored under a key within the last 24 hours. */
  findReply(accountId: string, key: string, now: Date): Promise<StoredReply | undefined>;
  find(accountId: string, orderId: string): Promise<Order | undefined>;
  list(accountId: string, query: OrderQuery): Promise<OrderPage>;
  transaction<T>(work: (tx: OrderTransaction) => Promise<T>): Promise<T>;
}

/** decisions 4: how long an Idempotency-Key is remembered. */
export const keepRepliesMs = 24 * 60 * 60 * 1000;

const withItems = { items: { orderBy: { position: 'asc' } } } as const;
type OrderRow = Prisma.OrderGetPayload<{ include: typeof withItems }>;

/** Of each sort field: the column, and what its value in a cursor looks like. */
const columnOf = {
  createdAt: { column: 'createdAt', pattern: /^\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d\.\d{3}Z$/ },
  status: { column: 'status', pattern: /^[A-Z]{1,20}$/ },
  total: { column: 'totalAmount', pattern: /^\d{1,24}(\.\d{1,4})?$/ },
  id: { column: 'id', pattern: /^[0-9a-f-]{36}$/ },
} as const;

export function createOrderStore(prisma: PrismaClient): OrderStore {
  return {
    insert: (order, event, reply) => insertOrder(prisma, order, event, reply),

    async findReply(accountId, key, now) {
      const row = await prisma.idempotencyKey.findUnique({ where: { accountId_key: { accountId, key } } });
      if (row === null || row.createdAt.getTime() < now.getTime() - keepRepliesMs) return undefined;
      return { requestHash: row.requestHash, location: row.location, body: row.body, replayed: false };
    },

    async find(accountId, orderId) {
      const row = await prisma.order.findFirst({
        where: { id: orderId, accountId, deletedAt: null },
        include: withItems,
      });
      return row === null ? undefined : toOrder(row);
    },

    async list(accountId, { page, size, after, sort, status, customerId }) {
      if (customerId !== undefined && customerId !== accountId)
        return { orders: [], totalElements: 0, next: undefined };
      const keys = [...sort, { field: 'id' as const, direction: sort[0]?.direction ?? 'desc' }];
      const order = keys.map(({ field, direction }) => `${field},${direction}`).join(';');
      const where = { accountId, deletedAt: null, ...(status === undefined ? {} : { status }) };
      const values =
        after === undefined
          ? undefined
          : decodeCursor(
              after,
              order,
              keys.map(({ field }) => columnOf[field].pattern),
            );
      const [rows, totalElements] = await Promise.all([
        prisma.order.findMany({
          where: values === undefined ? where : { AND: [where, ...behind(keys, values)] },
          orderBy: keys.map(({ field, direction }) => ({ [columnOf[field].column]: direction })),
          take: size + 1, // one more tells whether there is a next page
          skip: values === undefined ? page * size : 0,
          include: withItems,
        }),
        prisma.order.count({ where }),
      ]);
      const orders = rows.slice(0, size).map(toOrder);
      const last = rows.length > size ? rows[size - 1] : undefined;
      return {
        orders,
        totalElements,
        next: last && { order, values: keys.map(({ field }) => asText(last[columnOf[field].column])) },
      };
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
          async append(event) {
            await tx.outbox.create({ data: event });
            await tx.$executeRaw`select pg_notify('outbox', '')`;
          },
        }),
      ),
  };
}

interface Key {
  field: keyof typeof columnOf;
  direction: 'asc' | 'desc';
}

/**
 * Rows behind a cursor, for columns of any direction. The first condition alone is what lets the index start at the
 * cursor instead of at the beginning.
 */
function behind(keys: Key[], values: string[]): Prisma.OrderWhereInput[] {
  const compare = ({ field, direction }: Key, value: string | undefined, orEqual = false) => ({
    [columnOf[field].column]: { [`${direction === 'asc' ? 'gt' : 'lt'}${orEqual ? 'e' : ''}`]: value },
  });
  const alternatives = keys.map((key, index) => ({
    AND: [
      ...keys.slice(0, index).map(({ field }, before) => ({ [columnOf[field].column]: values[before] })),
      compare(key, values[index]),
    ],
  }));
  const first = keys[0];
  return [...(first === undefined ? [] : [compare(first, values[0], true)]), { OR: alternatives }];
}

function asText(value: Date | string | Prisma.Decimal): string {
  if (value instanceof Date) return value.toISOString();
  return typeof value === 'string' ? value : value.toFixed();
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
