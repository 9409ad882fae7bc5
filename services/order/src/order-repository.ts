import { deleteInBatches } from '@store/shared/database/batches';
import type { Database } from '@store/shared/database/database';
import { isoTime } from '@store/shared/database/keyset';
import { empty, raw, type Sql, type Statements, sql } from '@store/shared/database/sql';
import type { Transaction, TransactionOf } from '@store/shared/database/transaction';
import type { PrismaClient } from './generated/client.ts';
import { createInsertOrder } from './new-order-repository.ts';
import { type Order, replyLifetimeHours, type StoredReply } from './order.ts';

export type LockedOrder = Order & { accountId: string };

export type OrderRepository = ReturnType<typeof createOrderRepository>;

const time = (column: string) => `'"' || ${isoTime(column, 'MS')} || '"'`;
const money = (amount: string) => `'{"amount":' || trim_scale(${amount}) || ',"currency":"' || orders.currency || '"}'`;
/** Each change of an order's representation sets one of these, for good. */
const version = '1 + num_nonnulls(orders.paid_at, orders.shipped_at, orders.cancelled_at)';
/** Keys in the order of their bytes, as they are placed. */
const metadata = `(
    select '{' || coalesce(string_agg(to_json(key)::text || ':' || to_json(value)::text, ',' order by key collate "C"), '') || '}'
    from jsonb_each_text(metadata)
  )`;
const details = `',"shippingAddress":' || coalesce(shipping_address::text, 'null') || ',"metadata":' || case when metadata is null then 'null' else ${metadata} end`;
const noDetails = `',"shippingAddress":null,"metadata":null'`;
const optional = (name: string, column: string) => `coalesce(',"${name}":' || ${time(column)}, '')`;

/**
 * The representation of each order (contract 4.5), spelled as `JSON.stringify` does, so that an order is the same text wherever
 * it stands. Made of text: a page may have 10,000 lines, for which PostgreSQL's own functions take several times as long.
 */
export const orderJson = raw(`'{"id":"' || orders.id || '","customerId":"' || orders.account_id
  || '","status":"' || orders.status || '","total":' || ${money('orders.total_amount')}
  || ',"items":[' || (
    select coalesce(string_agg('{"productId":"' || product_id || '","name":' || coalesce(to_json(name)::text, 'null') || ',"quantity":' || quantity
      || ',"unitPrice":' || ${money('unit_price')} || '}', ',' order by position), '')
    from order_items where order_id = orders.id
  ) || '],"createdAt":' || ${time('orders.created_at')} || ',"updatedAt":' || ${time('orders.updated_at')}
  || ',"version":' || (${version}) || coalesce((select ${details} from order_details where order_id = orders.id), ${noDetails})
  || ${optional('paidAt', 'orders.paid_at')} || ${optional('shippedAt', 'orders.shipped_at')}
  || ${optional('cancelledAt', 'orders.cancelled_at')} || '}'`);

export const orderColumns = sql`id, account_id as "accountId", shipped_at as "shippedAt", cancelled_at as "cancelledAt",
  cancel_reason as "cancelReason", status, missing, ${orderJson} as json, ${raw(version)} as version`;

/** Replies from then on have not expired. */
export const oldestReply = (now: Date) => new Date(now.getTime() - replyLifetimeHours * 3_600_000);

export function createOrderRepository(
  database: Database<PrismaClient>,
  { maxCancelled = 0 }: { maxCancelled?: number } = {},
) {
  const { run } = database;

  return {
    insert: createInsertOrder(database, maxCancelled),

    /**
     * The reply stored under a key, until it expires. Its body is the representation that the order had when it was placed;
     * orders are never removed, but hidden from their owners.
     */
    async findReply(accountId: string, key: string, now: Date): Promise<StoredReply | undefined> {
      const [stored] = await run<Omit<StoredReply, 'replayed'>>(sql`
        select request_hash as "requestHash", location, ${orderJson} as body
        from (
          select request_hash, location, id, orders.account_id, 'PENDING' as status, total_amount, currency,
                 orders.created_at, orders.created_at as updated_at,
                 null::timestamptz as paid_at, null::timestamptz as shipped_at, null::timestamptz as cancelled_at
          from idempotency_keys as stored join orders on id = split_part(location, '/', 3)::uuid
          where stored.account_id = ${accountId}::uuid and key = ${key}
            and stored.created_at >= ${oldestReply(now)}::timestamptz
        ) as orders`);
      return stored && { ...stored, replayed: false };
    },

    find: (accountId: string, orderId: string): Promise<Order | undefined> => findOwn({ run }, accountId, orderId),

    /** @returns how many expired replies were deleted */
    deleteExpiredReplies: (now: Date): Promise<number> =>
      // Locked before they are deleted: a key that is used again meanwhile stays.
      deleteInBatches(
        run,
        (limit) => sql`
          delete from idempotency_keys where ctid = any(array(
            select ctid from idempotency_keys where created_at < ${oldestReply(now)}::timestamptz
            order by created_at limit ${limit} for update
          ))`,
      ),

    lock: (tx: Transaction, accountId: string, orderId: string): Promise<LockedOrder | undefined> =>
      findOwn(tx, accountId, orderId, sql`for update`),

    /** @returns its representation from now on */
    async cancel(tx: Transaction, orderId: string, cancelledAt: Date, reason: string): Promise<string> {
      const [cancelled] = await tx.run<{ json: string }>(sql`
        update orders
        set status = 'CANCELLED', cancelled_at = ${cancelledAt}, cancel_reason = ${reason}, updated_at = ${cancelledAt}
        where id = ${orderId}::uuid returning ${orderJson} as json`);
      if (cancelled === undefined) throw new Error(`There is no order ${orderId}.`);
      return cancelled.json;
    },

    async markDeleted(tx: TransactionOf<PrismaClient>, id: string, deletedAt: Date): Promise<void> {
      await tx.order.update({ where: { id }, data: { deletedAt }, select: { id: true } });
    },
  };
}

/** Locks an order of any customer, whether or not its owner has deleted it, until the end of the transaction. */
export const lockOrder = async ({ run }: Transaction, orderId: string): Promise<LockedOrder | undefined> =>
  (await run<LockedOrder>(sql`select ${orderColumns} from orders where id = ${orderId}::uuid for update`))[0];

/** Finds an order that its owner has not deleted. */
async function findOwn({ run }: Statements, accountId: string, orderId: string, lock: Sql = empty) {
  const [order] = await run<LockedOrder>(sql`
    select ${orderColumns} from orders
    where account_id = ${accountId}::uuid and id = ${orderId}::uuid and deleted_at is null ${lock}`);
  return order;
}
