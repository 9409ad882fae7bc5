import { deleteInBatches } from '@store/shared/database/batches';
import type { Database } from '@store/shared/database/database';
import { isoTime } from '@store/shared/database/keyset';
import { type Kysely, sql, type Transaction } from 'kysely';
import type { PrismaClient } from './generated/client.ts';
import type { DB } from './generated/tables.ts';
import { createInsertOrder } from './new-order-repository.ts';
import { type Line, type Order, type OrderStatus, replyLifetimeHours, type StoredReply } from './order.ts';

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
export const orderJson = sql<string>`${sql.raw(`'{"id":"' || orders.id || '","customerId":"' || orders.account_id
  || '","status":"' || orders.status || '","total":' || ${money('orders.total_amount')}
  || ',"items":[' || (
    select coalesce(string_agg('{"productId":"' || product_id || '","name":' || coalesce(to_json(name)::text, 'null') || ',"quantity":' || quantity
      || ',"unitPrice":' || ${money('unit_price')} || '}', ',' order by position), '')
    from order_items where order_id = orders.id
  ) || '],"createdAt":' || ${time('orders.created_at')} || ',"updatedAt":' || ${time('orders.updated_at')}
  || ',"version":' || (${version}) || coalesce((select ${details} from order_details where order_id = orders.id), ${noDetails})
  || ${optional('paidAt', 'orders.paid_at')} || ${optional('shippedAt', 'orders.shipped_at')}
  || ${optional('cancelledAt', 'orders.cancelled_at')} || '}'`)}`;

export const orderColumns = [
  'id',
  'shipped_at as shippedAt',
  'cancelled_at as cancelledAt',
  'cancel_reason as cancelReason',
  sql<OrderStatus>`status`.as('status'),
  sql<Line[] | null>`missing`.as('missing'),
  orderJson.as('json'),
  sql<number>`${sql.raw(version)}`.as('version'),
] as const;

/** Replies from then on have not expired. */
export const oldestReply = (now: Date) => new Date(now.getTime() - replyLifetimeHours * 3_600_000);

export function createOrderRepository(
  prisma: PrismaClient,
  database: Database<DB>,
  { maxCancelled = 0 }: { maxCancelled?: number } = {},
) {
  const { kysely, run } = database;
  /** Compiled once: its text is long, and made anew for each request it costs memory (decisions/0007). */
  const select = selectOrder(kysely, '', '').compile();

  return {
    insert: createInsertOrder(database, maxCancelled),

    /**
     * The reply stored under a key, until it expires. Its body is the representation that the order had when it was placed;
     * orders are never removed, but hidden from their owners.
     */
    async findReply(accountId: string, key: string, now: Date): Promise<StoredReply | undefined> {
      const { rows } = await sql<Omit<StoredReply, 'replayed'>>`
        select request_hash as "requestHash", location, ${orderJson} as body
        from (
          select request_hash, location, id, orders.account_id, 'PENDING' as status, total_amount, currency,
                 orders.created_at, orders.created_at as updated_at,
                 null::timestamptz as paid_at, null::timestamptz as shipped_at, null::timestamptz as cancelled_at
          from idempotency_keys as stored join orders on id = split_part(location, '/', 3)::uuid
          where stored.account_id = ${accountId}::uuid and key = ${key}
            and stored.created_at >= ${oldestReply(now)}::timestamptz
        ) as orders`.execute(kysely);
      return rows[0] && { ...rows[0], replayed: false };
    },

    find: async (accountId: string, orderId: string): Promise<Order | undefined> =>
      (await run<Order>({ ...select, parameters: [accountId, orderId] }))[0],

    /** @returns how many expired replies were deleted */
    deleteExpiredReplies: (now: Date): Promise<number> =>
      deleteInBatches(async (limit) => {
        const expired = { createdAt: { lt: oldestReply(now) } };
        const last = await prisma.idempotencyKey.findFirst({
          where: expired,
          orderBy: { createdAt: 'asc' },
          skip: limit - 1,
        });
        // By time and not by a `limit`, whose subquery would overlook that a key has been used again since.
        const where = last === null ? expired : { createdAt: { lte: last.createdAt } };
        return prisma.idempotencyKey.deleteMany({ where });
      }),

    lock: (tx: Transaction<DB>, accountId: string, orderId: string): Promise<LockedOrder | undefined> =>
      selectOrder(tx, accountId, orderId).select('account_id as accountId').forUpdate().executeTakeFirst(),

    /** @returns its representation from now on */
    async cancel(tx: Transaction<DB>, orderId: string, cancelledAt: Date, reason: string): Promise<string> {
      const { json } = await tx
        .updateTable('orders')
        .set({ status: 'CANCELLED', cancelled_at: cancelledAt, cancel_reason: reason, updated_at: cancelledAt })
        .where('id', '=', orderId)
        .returning(orderJson.as('json'))
        .executeTakeFirstOrThrow();
      return json;
    },

    async markDeleted(tx: Transaction<DB>, orderId: string, deletedAt: Date): Promise<void> {
      await tx.updateTable('orders').set({ deleted_at: deletedAt }).where('id', '=', orderId).execute();
    },
  };
}

/** Locks an order of any customer, whether or not its owner has deleted it, until the end of the transaction. */
export const lockOrder = (tx: Transaction<DB>, orderId: string): Promise<LockedOrder | undefined> =>
  tx
    .selectFrom('orders')
    .select([...orderColumns, 'account_id as accountId'])
    .where('id', '=', orderId)
    .forUpdate()
    .executeTakeFirst();

/** Conditions are in the order of the arguments, which are the parameters of `find`. */
const selectOrder = (kysely: Kysely<DB>, accountId: string, orderId: string) =>
  kysely
    .selectFrom('orders')
    .select(orderColumns)
    .where('account_id', '=', accountId)
    .where('id', '=', orderId)
    .where('deleted_at', 'is', null);
