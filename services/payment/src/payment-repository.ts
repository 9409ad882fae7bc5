import type { Database } from '@store/shared/database/database';
import { createKeyset, isoTime, uuidColumn } from '@store/shared/database/keyset';
import { type PageQuery, readPage } from '@store/shared/database/read-page';
import { rowsAs } from '@store/shared/database/rows';
import { type Run, raw, sql } from '@store/shared/database/sql';
import type { Transaction } from '@store/shared/database/transaction';
import { eventsOf } from '@store/shared/messaging/outbox/events-of';
import { Decimal } from '@store/shared/values/money';
import type { PrismaClient } from './generated/client.ts';
import type { Payment, PaymentStatus } from './payment.ts';
import type { Charge } from './provider.ts';

export interface PaymentChange {
  orderId: string;
  status: PaymentStatus;
  paymentId?: string;
  reason?: string;
}

const keyset = createKeyset('payments', { orderId: uuidColumn('order_id') }, 'orderId');

const asJson = raw(`json_build_object('orderId', order_id, 'paymentId', payment_id, 'status', status,
  'amount', trim_scale(amount), 'currency', currency, 'reason', reason,
  'createdAt', ${isoTime('created_at', 'MS')}, 'updatedAt', ${isoTime('updated_at', 'MS')})::text`);

export type PaymentRepository = ReturnType<typeof createPaymentRepository>;

export function createPaymentRepository({ prisma, run, lists }: Database<PrismaClient>) {
  const find = async (orderIds: string[]): Promise<Payment[]> =>
    (await run<PaymentRow>(paymentsOf(orderIds))).map(toPayment);

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
      const begun = new Set(await insertMissing(run, rows, now));
      const known = starts.map(({ orderId }) => orderId).filter((orderId) => !begun.has(orderId));
      const charging = starts.filter(({ orderId }) => begun.has(orderId));
      return [
        ...charging.map((start): Payment => ({ ...start, status: 'CHARGING' })),
        // A second statement, because the first does not see rows that others committed while it waited for them.
        ...(known.length > 0 ? await find(known) : []),
      ];
    },

    /** A page of all payments of a customer. */
    pageOf: (customerId: string, page: PageQuery) =>
      lists.inTurn(customerId, () =>
        readPage<{ json: string }>(
          lists.run,
          {
            select: sql`${asJson} as json`,
            from: sql`payments`,
            where: [sql`customer_id = ${customerId}::uuid`],
          },
          keyset([{ field: 'orderId', direction: 'asc' }]),
          page,
        ),
      ),

    /** Finds the payment of an order as operators see it, with the events about it. */
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
        events: await eventsOf(lists, orderId),
      };
    },
  };
}

/** Callers insert missing payments first and then lock existing ones, both in order of id, so there are no deadlocks. */
export const paymentsOn = ({ run }: Transaction) => ({
  /** Stores a CANCELLED payment for orders that have no payment. @returns the ids of these orders */
  insertCancelled: (cancellations: Omit<NewRow, 'status'>[], now: Date): Promise<string[]> =>
    insertMissing(
      run,
      cancellations.map((cancellation) => ({ ...cancellation, status: 'CANCELLED' })),
      now,
    ),

  /** Locks the payments of these orders. */
  async lock(orderIds: string[]): Promise<Payment[]> {
    const rows = await run<PaymentRow>(sql`${paymentsOf(orderIds)} order by order_id for update`);
    return rows.map(toPayment);
  },

  /** Changes locked payments. Leaves undefined properties as they are. */
  async update(changes: PaymentChange[], now: Date): Promise<void> {
    await run(sql`
      update payments
      set status = change.status, payment_id = coalesce(change."paymentId", payment_id),
          reason = coalesce(change.reason, payments.reason), updated_at = ${now}
      from ${rowsAs('change', changes, { orderId: 'uuid', status: 'text', paymentId: 'uuid', reason: 'text' })}
      where order_id = change."orderId"`);
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
async function insertMissing(run: Run, rows: NewRow[], now: Date): Promise<string[]> {
  const inserted = await run<{ orderId: string }>(sql`
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
    returning order_id as "orderId"`);
  return inserted.map(({ orderId }) => orderId);
}

interface PaymentRow {
  orderId: string;
  customerId: string;
  status: string;
  amount: string | null;
  currency: string | null;
  paymentId: string | null;
}

const paymentsOf = (orderIds: string[]) => sql`
  select order_id as "orderId", customer_id as "customerId", status, amount, currency, payment_id as "paymentId"
  from payments where order_id = any(${orderIds}::uuid[])`;

/** The database checks which statuses have an amount and a payment id. */
function toPayment({ status, amount, currency, paymentId, ...order }: PaymentRow): Payment {
  if (amount === null || currency === null) return { ...order, status: 'CANCELLED' };
  const money = { amount: new Decimal(amount), currency };
  return paymentId === null
    ? { ...order, status: status as 'CHARGING' | 'FAILED', amount: money }
    : { ...order, status: status as 'PAID' | 'REFUNDED', amount: money, paymentId };
}
