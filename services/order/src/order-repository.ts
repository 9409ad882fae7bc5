import { deleteInBatches } from '@store/shared/database/batches';
import { countRows } from '@store/shared/database/count';
import type { Database } from '@store/shared/database/database';
import { createKeyset, timeColumn, uuidColumn } from '@store/shared/database/keyset';
import type { Placeholders } from '@store/shared/database/prepared-statements';
import type { StoredEvent } from '@store/shared/messaging/events';
import { appendToOutbox, wakeRelay } from '@store/shared/messaging/outbox/append';
import { Decimal } from '@store/shared/values/money';
import { type Kysely, sql, type Transaction } from 'kysely';
import type { DB } from './generated/tables.ts';
import { createInsertOrder } from './insert-order.ts';
import { type Order, type OrderStatus, replyLifetimeHours, type StoredReply } from './order.ts';
import type { OrderQuery } from './schemas.ts';

export interface OrderPage {
  orders: Order[];
  totalElements: number;
  /** Cursor of the next page. */
  next: string | undefined;
}

export type OrderRepository = ReturnType<typeof createOrderRepository>;
export type OrderTransaction = ReturnType<typeof orderTransaction>;

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

export const orderColumns = [
  ...(['id', 'account_id as accountId', 'status', 'total_amount as totalAmount', 'currency'] as const),
  ...(['created_at as createdAt', 'updated_at as updatedAt', 'paid_at as paidAt'] as const),
  ...(['shipped_at as shippedAt', 'cancelled_at as cancelledAt', 'cancel_reason as cancelReason'] as const),
] as const;

/** Of each order, as JSON, in which a price is text to keep its digits. */
export const orderItems = sql<StoredItem[]>`(
  select coalesce(
    json_agg(
      json_build_object('productId', product_id, 'quantity', quantity, 'unitPrice', unit_price::text) order by position
    ), '[]'
  )
  from order_items where order_id = orders.id
)`.as('items');

async function itemsByOrder(kysely: Kysely<DB>, orderIds: string[]) {
  const items = await kysely
    .selectFrom('order_items')
    .select(['order_id as orderId', 'product_id as productId', 'quantity', 'unit_price as unitPrice'])
    .where('order_id', '=', sql<string>`any(${orderIds}::uuid[])`)
    .orderBy('position')
    .execute();
  const byOrder = new Map<string, typeof items>(orderIds.map((id) => [id, []]));
  for (const item of items) byOrder.get(item.orderId)?.push(item);
  return byOrder;
}

const oldestReply = (now: Date) => new Date(now.getTime() - replyLifetimeHours * 3_600_000);

export function createOrderRepository(database: Database<DB>) {
  const { kysely, prepare, lists } = database;
  const selectOrder = prepare(({ accountId, orderId }: Placeholders<{ accountId: string; orderId: string }>) =>
    kysely
      .selectFrom('orders')
      .select([...orderColumns, orderItems])
      .where('id', '=', orderId)
      .where('account_id', '=', accountId)
      .where('deleted_at', 'is', null)
      .compile(),
  );
  const selectReply = prepare(
    ({ accountId, key, since }: Placeholders<{ accountId: string; key: string; since: Date }>) =>
      kysely
        .selectFrom('idempotency_keys')
        .select(['request_hash as requestHash', 'location', 'body'])
        .where('account_id', '=', accountId)
        .where('key', '=', key)
        .where('created_at', '>=', since)
        .compile(),
  );

  return {
    insert: createInsertOrder(database),

    /** The reply stored under a key, until it expires. */
    async findReply(accountId: string, key: string, now: Date): Promise<StoredReply | undefined> {
      const [row] = await selectReply({ accountId, key, since: oldestReply(now) });
      return row && { ...row, replayed: false };
    },

    async find(accountId: string, orderId: string): Promise<Order | undefined> {
      const [row] = await selectOrder({ accountId, orderId });
      return row && toOrder(row);
    },

    /**
     * A page of an account's orders. Pagination shows an order twice or not at all only if the order itself moves: its
     * status changes while sorting by status, or it is stored with a time that ascending pagination has just passed.
     */
    async list(accountId: string, query: OrderQuery): Promise<OrderPage> {
      const { size, page, after, status, customerId } = query;
      const order = keyset(query.sort);
      let matching = lists.kysely
        .selectFrom('orders')
        .select('id')
        .where('account_id', '=', accountId)
        .where('deleted_at', 'is', null);
      if (status !== undefined) matching = matching.where('status', '=', status);
      let rows = matching
        .clearSelect()
        .select([...orderColumns, order.position.as('position')])
        .orderBy(order.orderBy)
        // One row more than requested tells whether there is a next page.
        .limit(sql<number>`${size}::int + 1`);
      if (after !== undefined) rows = rows.where(order.after(after));
      else if (page > 0) rows = rows.offset(sql<number>`${page}::bigint * ${size}::int`);
      if (customerId !== undefined && customerId !== accountId) {
        return { orders: [], totalElements: 0, next: undefined };
      }

      const [found, totalElements] = await Promise.all([rows.execute(), countRows(lists.kysely, matching)]);
      const shown = found.slice(0, size);
      const itemsOf = await itemsByOrder(
        lists.kysely,
        shown.map(({ id }) => id),
      );
      const last = found.length > size ? shown.at(-1) : undefined;
      return {
        orders: shown.map(({ position: _, ...row }) => toOrder({ ...row, items: itemsOf.get(row.id) ?? [] })),
        totalElements,
        next: last && order.cursorOf(last.position),
      };
    },

    /** @returns how many expired replies were deleted */
    deleteExpiredReplies: (now: Date): Promise<number> =>
      deleteInBatches((limit) =>
        kysely
          .deleteFrom('idempotency_keys')
          .where(({ eb, refTuple, selectFrom }) =>
            eb(
              refTuple('account_id', 'key'),
              'in',
              selectFrom('idempotency_keys')
                .select(['account_id', 'key'])
                .where('created_at', '<', oldestReply(now))
                .limit(limit)
                .$asTuple('account_id', 'key'),
            ),
          )
          .executeTakeFirst(),
      ),

    async transaction<T>(work: (tx: OrderTransaction) => Promise<T>): Promise<T> {
      const result = await kysely.transaction().execute((tx) => work(orderTransaction(tx)));
      wakeRelay(kysely);
      return result;
    },
  };
}

const orderTransaction = (tx: Transaction<DB>) => ({
  async findForUpdate(accountId: string, orderId: string): Promise<Order | undefined> {
    const row = await tx
      .selectFrom('orders')
      .select([...orderColumns, orderItems])
      .where('id', '=', orderId)
      .where('account_id', '=', accountId)
      .where('deleted_at', 'is', null)
      .forUpdate()
      .executeTakeFirst();
    return row && toOrder(row);
  },
  async cancel(orderId: string, cancelledAt: Date, reason: string): Promise<void> {
    await tx
      .updateTable('orders')
      .set({ status: 'CANCELLED', cancelled_at: cancelledAt, cancel_reason: reason, updated_at: cancelledAt })
      .where('id', '=', orderId)
      .execute();
  },
  async markDeleted(orderId: string, deletedAt: Date): Promise<void> {
    await tx.updateTable('orders').set({ deleted_at: deletedAt }).where('id', '=', orderId).execute();
  },
  append: (event: StoredEvent) => appendToOutbox(tx, event),
});

interface StoredItem {
  productId: string;
  quantity: number;
  unitPrice: string;
}

type StoredOrder = Omit<Order, 'status' | 'total' | 'items'> & {
  status: string;
  totalAmount: string;
  currency: string;
  items: StoredItem[];
};

export function toOrder({ totalAmount, currency, status, items, ...row }: StoredOrder): Order {
  return {
    ...row,
    status: status as OrderStatus, // checked by the database
    total: { amount: new Decimal(totalAmount), currency },
    items: items.map(({ productId, quantity, unitPrice }) => ({
      ...{ productId, quantity },
      unitPrice: new Decimal(unitPrice),
    })),
  };
}
