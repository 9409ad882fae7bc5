import { empty, raw, type Sql, type Statements, sql } from '@store/shared/database/sql';
import type { Transaction, TransactionOf } from '@store/shared/database/transaction';
import type { PrismaClient } from './generated/client.ts';
import { actionUrl, orderAsJson, orderRecordAsJson } from './lists/order-json-repository.ts';
import type { Order, StoredOrder } from './order.ts';

export type OrderRow = StoredOrder & { totalAmount: string; refunded: string | null };

/** Selects an `OrderRow` for each row of `orders`. */
export const orderColumns = sql`
  orders.id, orders.account_id as "accountId", orders.status, orders.total_amount as "totalAmount", orders.currency,
  orders.created_at as "createdAt", orders.updated_at as "updatedAt", orders.paid_at as "paidAt",
  orders.shipped_at as "shippedAt", orders.cancelled_at as "cancelledAt", orders.cancel_reason as "cancelReason",
  orders.missing, orders.deleted_at as "deletedAt", ${raw(actionUrl)} as "actionUrl", orders.refunded,
  orders.payment_changes as "paymentChanges",
  (
    select coalesce(json_agg(json_build_object('productId', product_id, 'name', name, 'sku', sku, 'quantity', quantity,
      'unitPrice', unit_price::text, 'taxPermille', tax_permille) order by position), '[]')
    from order_items where order_id = orders.id
  ) as items,
  (
    select json_build_object('shippingAddress', shipping_address, 'metadata', metadata)
    from order_details where order_id = orders.id
  ) as details,
  (
    select json_build_object('carrier', carrier, 'trackingNumber', tracking_number, 'trackingUrl', tracking_url)
    from shipments where order_id = orders.id
  ) as shipment`;

export type OrderRepository = ReturnType<typeof createOrderRepository>;

/** Finds and changes orders that their owners have not deleted. */
export const createOrderRepository = ({ run }: Statements) => ({
  find: (accountId: string, orderId: string): Promise<StoredOrder | undefined> => findOwn({ run }, accountId, orderId),

  /** Its representation, as `toOrderJson` writes it. */
  async findJson(accountId: string, orderId: string): Promise<string | undefined> {
    const [row] = await run<{ json: string }>(
      sql`select ${orderAsJson} as json from orders where ${isOwn(accountId, orderId)}`,
    );
    return row?.json;
  },

  /** The representation of any customer's order, even if the owner has deleted it, with fields that only operators see. */
  async findAnyJson(orderId: string): Promise<string | undefined> {
    const [row] = await run<{ json: string }>(
      sql`select ${orderRecordAsJson} as json from orders where id = ${orderId}::uuid`,
    );
    return row?.json;
  },

  lock: (tx: Transaction, accountId: string, orderId: string): Promise<StoredOrder | undefined> =>
    findOwn(tx, accountId, orderId, sql`for update`),

  /** @returns the cancelled order */
  async cancel(
    tx: TransactionOf<PrismaClient>,
    { id, ...order }: Order,
    cancelledAt: Date,
    cancelReason: string,
  ): Promise<Order> {
    const change = { status: 'CANCELLED', cancelledAt, updatedAt: cancelledAt, cancelReason } as const;
    await tx.order.update({ where: { id }, data: change, select: { id: true } });
    return { id, ...order, ...change, actionUrl: null };
  },

  async markDeleted(tx: TransactionOf<PrismaClient>, id: string, deletedAt: Date): Promise<void> {
    await tx.order.update({ where: { id }, data: { deletedAt }, select: { id: true } });
  },
});

async function findOwn({ run }: Statements, accountId: string, orderId: string, lock: Sql = empty) {
  const [order] = await run<OrderRow>(
    sql`select ${orderColumns} from orders where ${isOwn(accountId, orderId)} ${lock}`,
  );
  return order;
}

const isOwn = (accountId: string, orderId: string): Sql =>
  sql`account_id = ${accountId}::uuid and id = ${orderId}::uuid and deleted_at is null`;

/** Locks an order of any customer, whether or not its owner has deleted it, until the end of the transaction. */
export async function lockOrder({ run }: Transaction, orderId: string): Promise<StoredOrder | undefined> {
  const [order] = await run<OrderRow>(sql`select ${orderColumns} from orders where id = ${orderId}::uuid for update`);
  return order;
}
