import type { Database } from '@store/shared/database/database';
import { createKeyset, isoTime, uuidColumn } from '@store/shared/database/keyset';
import { type PageQuery, readPage } from '@store/shared/database/read-page';
import { rowsAs } from '@store/shared/database/rows';
import { eventsOf } from '@store/shared/messaging/outbox/events-of';
import { Decimal } from '@store/shared/values/money';
import { type Kysely, sql, type Transaction } from 'kysely';
import type { PrismaClient } from './generated/client.ts';
import type { DB } from './generated/tables.ts';
import type { Payment, PaymentStatus } from './payment.ts';
import type { Charge } from './provider.ts';

export interface PaymentChange {
  orderId: string;
  status: PaymentStatus;
  paymentId?: string;
  reason?: string;
}

const keyset = createKeyset('payments', { orderId: uuidColumn('order_id') }, 'orderId');

const asJson = sql<string>`${sql.raw(`json_build_object('orderId', order_id, 'paymentId', payment_id, 'status', status,
  'amount', trim_scale(amount), 'currency', currency, 'reason', reason,
  'createdAt', ${isoTime('created_at', 'MS')}, 'updatedAt', ${isoTime('updated_at', 'MS')})`)}::text`;

export type PaymentRepository = ReturnType<typeof createPaymentRepository>;

export function createPaymentRepository(prisma: PrismaClient, { kysely, lists }: Database<DB>) {
  const find = async (orderIds: string[]): Promise<Payment[]> =>
    (await selectPayments(kysely, orderIds).execute()).map(toPayment);

  return {
    find,

    /** Stores a payment as CHARGING for each order that has none. @returns the stored payments of all these orders */
    async begin(starts: Charge[], now: Date): Promise<Payment[]> {
      const rows = starts.map(({ amount: { amount, currency }, ...order }) => ({
        ...order,
        status: 'CHARGING',
        amount: amount.toFixed(),
        currency,
      }));
      const begun = new Set(await insertMissing(kysely, rows, now));
      const known = starts.map(({ orderId }) => orderId).filter((orderId) => !begun.has(orderId));
      const charging = starts.filter(({ orderId }) => begun.has(orderId));
      return [
        ...charging.map((start): Payment => ({ ...start, status: 'CHARGING' })),
        // A statement of its own: the first one does not see what others have stored while it waited for them.
        ...(known.length > 0 ? await find(known) : []),
      ];
    },

    /** A page of all payments of a customer. */
    pageOf: (customerId: string, page: PageQuery) =>
      lists.inTurn(customerId, () =>
        readPage(
          lists.kysely.selectFrom('payments').select(asJson.as('json')).where('customer_id', '=', customerId),
          keyset([{ field: 'orderId', direction: 'asc' }]),
          page,
        ),
      ),

    /** Finds the payment of an order as operators see it, with the events that were written about it. */
    async findRecord(orderId: string) {
      const row = await prisma.payment.findUnique({ where: { orderId } });
      if (row === null) return undefined;
      const { amount, currency, createdAt, updatedAt, ...payment } = row;
      return {
        ...payment,
        status: row.status as PaymentStatus, // checked by the database
        amount: amount === null || currency === null ? null : { amount, currency },
        createdAt: createdAt.toISOString(),
        updatedAt: updatedAt.toISOString(),
        events: await eventsOf(lists.kysely, orderId),
      };
    },
  };
}

/** Changes rows. Callers insert missing payments first, then lock existing ones, each in the order of ids: no deadlocks. */
export const paymentsOn = (tx: Transaction<DB>) => ({
  /** Stores orders without payment as CANCELLED. @returns the ids of these orders */
  insertCancelled: (cancellations: Omit<NewRow, 'status'>[], now: Date): Promise<string[]> =>
    insertMissing(
      tx,
      cancellations.map((cancellation) => ({ ...cancellation, status: 'CANCELLED' })),
      now,
    ),

  /** Locks the payments of these orders. */
  async lock(orderIds: string[]): Promise<Payment[]> {
    const rows = await selectPayments(tx, orderIds).orderBy('order_id').forUpdate().execute();
    return rows.map(toPayment);
  },

  /** Changes locked payments. Leaves undefined properties as they are. */
  async update(changes: PaymentChange[], now: Date): Promise<void> {
    await sql`
      update payments
      set status = change.status, payment_id = coalesce(change."paymentId", payment_id),
          reason = coalesce(change.reason, payments.reason), updated_at = ${now}
      from ${rowsAs('change', changes, { orderId: 'uuid', status: 'text', paymentId: 'uuid', reason: 'text' })}
      where order_id = change."orderId"`.execute(tx);
  },
});

interface NewRow {
  orderId: string;
  customerId: string;
  status: string;
  amount?: string;
  currency?: string;
  reason?: string;
}

/** @returns the ids of the orders that had no payment */
async function insertMissing(kysely: Kysely<DB>, rows: NewRow[], now: Date): Promise<string[]> {
  const inserted = await sql<{ orderId: string }>`
    insert into payments (order_id, customer_id, status, amount, currency, reason, created_at, updated_at)
    select "orderId", "customerId", status, amount, currency, reason, ${now}::timestamptz, ${now}::timestamptz
    from ${rowsAs('row', rows, {
      orderId: 'uuid',
      customerId: 'uuid',
      status: 'text',
      amount: 'numeric',
      currency: 'text',
      reason: 'text',
    })}
    order by "orderId"
    on conflict do nothing
    returning order_id as "orderId"`.execute(kysely);
  return inserted.rows.map(({ orderId }) => orderId);
}

const selectPayments = (kysely: Kysely<DB>, orderIds: string[]) =>
  kysely
    .selectFrom('payments')
    .select([
      'order_id as orderId',
      'customer_id as customerId',
      'status',
      'amount',
      'currency',
      'payment_id as paymentId',
    ])
    .where('order_id', '=', sql<string>`any(${orderIds}::uuid[])`);

type PaymentRow = Awaited<ReturnType<ReturnType<typeof selectPayments>['executeTakeFirstOrThrow']>>;

/** The database checks which status has an amount and a payment id. */
function toPayment({ status, amount, currency, paymentId, ...order }: PaymentRow): Payment {
  if (amount === null || currency === null) return { ...order, status: 'CANCELLED' };
  const money = { amount: new Decimal(amount), currency };
  return paymentId === null
    ? { ...order, status: status as 'CHARGING' | 'FAILED', amount: money }
    : { ...order, status: status as 'PAID' | 'REFUNDED', amount: money, paymentId };
}
