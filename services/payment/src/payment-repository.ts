import type { Database } from '@store/shared/database/database';
import { createKeyset, isoTime, uuidColumn } from '@store/shared/database/keyset';
import { type PageQuery, readPage } from '@store/shared/database/read-page';
import { rowsAs } from '@store/shared/database/rows';
import { raw, type Sql, sql } from '@store/shared/database/sql';
import type { Transaction } from '@store/shared/database/transaction';
import type { Payload } from '@store/shared/messaging/events';
import { eventsOf } from '@store/shared/messaging/outbox/events-of';
import { Decimal, type Money } from '@store/shared/values/money';
import type { Taxed } from '@store/shared/values/tax';
import type { PrismaClient } from './generated/client.ts';
import type { Payment, PaymentStatus } from './payment.ts';

export interface Charge {
  orderId: string;
  customerId: string;
  amount: Money;
  /** As events have it (contract 6.3). */
  taxes: Payload<'StockReserved'>['taxes'];
}

export interface PaymentChange {
  orderId: string;
  status: 'PAID' | 'FAILED';
  paymentId?: string;
  reason?: string;
  /** Where it was charged: undefined by the built-in provider, which needs no state. An operator may know no intent. */
  provider?: string | undefined;
  intentId?: string | undefined;
}

interface StoredIntent {
  provider: string;
  intentId: string;
}

/** What is known of a payment before the provider is asked about it. */
export interface KnownPayment {
  status: PaymentStatus;
  provider: string | null;
  intentId: string | null;
  cancelReason: string | null;
  actionUrl: string | null;
}

export interface Cancellation {
  orderId: string;
  reason: string;
}

/** What went back of a payment, in minor units. */
export interface Returned {
  orderId: string;
  status: 'PAID' | 'REFUNDED';
  reserved: bigint;
  disputed: bigint;
  remainder: bigint | null;
  cancelReason: string | null;
}

export type LockedPayment = Payment & {
  /** Why its order was cancelled, if what became of the charge was not known then, or is to be refunded. */
  cancelReason: string | null;
  taxes: Taxed[] | undefined;
  /** In minor units; 0 unless it is paid. */
  captured: bigint;
  /** What the refunds of the cancelled order returned, once it is REFUNDED. The previous release does not write it. */
  remainder: bigint | null;
};

const lockedColumns = sql`order_id as "orderId", customer_id as "customerId", status, amount, currency, payment_id as "paymentId",
  cancel_reason as "cancelReason", captured, remainder, taxes`;

export const capCheck = 'payments_cap_check';

const keyset = createKeyset('payments', { orderId: uuidColumn('order_id') }, 'orderId');

const refundsAsJson = `coalesce((
  select json_agg(json_build_object('id', refunds.id, 'state', state, 'lines', lines,
    'amount', trim_scale(round(refunds.amount * payments.amount / payments.captured, 4)),
    'createdAt', ${isoTime('refunds.created_at', 'MS')}, 'updatedAt', ${isoTime('refunds.updated_at', 'MS')})
    order by refunds.created_at, refunds.id)
  from refunds where refunds.order_id = payments.order_id), '[]')`;
const asJson = raw(`json_build_object('orderId', order_id, 'paymentId', payment_id, 'status', status,
  'amount', trim_scale(amount), 'currency', currency, 'reason', reason, 'refunds', ${refundsAsJson},
  'createdAt', ${isoTime('created_at', 'MS')}, 'updatedAt', ${isoTime('updated_at', 'MS')})::text`);

export type PaymentRepository = ReturnType<typeof createPaymentRepository>;

export function createPaymentRepository({ prisma, lists }: Database<PrismaClient>) {
  return {
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

    /** Finds what an order is charged. */
    async findTotal(orderId: string): Promise<Money | undefined> {
      const row = await prisma.payment.findUnique({ where: { orderId }, select: { amount: true, currency: true } });
      if (!row?.amount || !row.currency) return undefined;
      return { amount: new Decimal(row.amount.toFixed()), currency: row.currency };
    },

    async findKnown(orderId: string): Promise<KnownPayment | undefined> {
      const select = { status: true, provider: true, intentId: true, cancelReason: true, actionUrl: true };
      const row = await prisma.payment.findUnique({ where: { orderId }, select });
      return row === null ? undefined : { ...row, status: row.status as PaymentStatus }; // checked by the database
    },

    /**
     * Stores an intent before it is confirmed. Only a stored one is confirmed, so an order has at most one that takes money.
     * @returns false if the order was cancelled, or has another intent
     */
    async keepIntent(orderId: string, { provider, intentId }: StoredIntent): Promise<boolean> {
      const { count } = await prisma.payment.updateMany({
        where: { orderId, status: 'CHARGING', cancelReason: null, OR: [{ intentId: null }, { intentId }] },
        data: { provider, intentId },
      });
      return count === 1;
    },

    /** Finds whose payment it is. */
    async customerOf(orderId: string): Promise<string | undefined> {
      return (await prisma.payment.findUnique({ where: { orderId }, select: { customerId: true } }))?.customerId;
    },

    /** Finds the payment of an order as operators see it, with the events that were written about it. */
    async findRecord(orderId: string) {
      const row = await prisma.payment.findUnique({ where: { orderId } });
      if (row === null) return undefined;
      const { customerId, paymentId, reason, amount, currency, createdAt, updatedAt } = row;
      return {
        orderId,
        customerId,
        paymentId,
        reason,
        status: row.status as PaymentStatus, // checked by the database
        amount: amount === null || currency === null ? null : { amount, currency },
        createdAt: createdAt.toISOString(),
        updatedAt: updatedAt.toISOString(),
        events: await eventsOf(lists, orderId),
      };
    },
  };
}

/** Changes rows. Callers insert missing payments first, then lock existing ones, each in the order of ids: no deadlocks. */
export const paymentsOn = ({ run, send }: Transaction) => ({
  /** Stores a payment as CHARGING for each order that has none. */
  insertCharging(starts: Charge[], now: Date): void {
    const rows = starts.map(({ orderId, customerId, amount: { amount, currency }, taxes }) => ({
      orderId,
      customerId,
      status: 'CHARGING',
      amount: amount.toFixed(),
      currency,
      // A Decimal becomes a text, which loses no digit when the column is read.
      taxes: taxes && JSON.stringify(taxes),
    }));
    send(insertMissing(rows, now));
  },

  /** Stores orders without payment as CANCELLED. @returns the ids of these orders */
  async insertCancelled(cancellations: Omit<NewRow, 'status'>[], now: Date): Promise<string[]> {
    const rows = cancellations.map((cancellation) => ({ ...cancellation, status: 'CANCELLED' }));
    const inserted = await run<{ orderId: string }>(insertMissing(rows, now));
    return inserted.map(({ orderId }) => orderId);
  },

  /** Locks the payments of these orders. */
  async lock(orderIds: string[]): Promise<LockedPayment[]> {
    const rows = await run<PaymentRow>(sql`
      select ${lockedColumns} from payments where order_id = any(${orderIds}::uuid[]) order by order_id for update`);
    return rows.map(toPayment);
  },

  /** Reads a payment without its lock, for changes that {@link capCheck} decides. */
  async read(orderId: string): Promise<LockedPayment | undefined> {
    const [row] = await run<PaymentRow>(sql`select ${lockedColumns} from payments where order_id = ${orderId}::uuid`);
    return row && toPayment(row);
  },

  /** Changes locked payments, and marks them as booked. Leaves undefined properties as they are. */
  update(changes: PaymentChange[], now: Date): void {
    // With `any`, PostgreSQL looks the rows up even while it takes the table for small, rather than read all of it for a join.
    send(sql`
      update payments
      set status = change.status, booked = change.status, payment_id = coalesce(change."paymentId", payment_id),
          reason = coalesce(change.reason, payments.reason), updated_at = ${now}, action_url = null,
          provider = coalesce(payments.provider, change.provider), intent_id = coalesce(payments.intent_id, change."intentId")
      from ${rowsAs('change', changes, {
        orderId: 'uuid',
        status: 'text',
        paymentId: 'uuid',
        reason: 'text',
        provider: 'text',
        intentId: 'text',
      })}
      where order_id = change."orderId" and order_id = any(${changes.map(({ orderId }) => orderId)}::uuid[])`);
  },

  /** Stores what went back of locked payments. */
  setReturned(returned: Returned[], now: Date): void {
    const rows = returned.map(({ reserved, disputed, remainder, ...one }) => ({
      ...one,
      reserved: reserved.toString(),
      disputed: disputed.toString(),
      remainder: remainder?.toString(),
    }));
    send(sql`
      update payments
      set refund_reserved = returned.reserved, disputed = returned.disputed, remainder = returned.remainder,
          reason = case when payments.status = returned.status then payments.reason else returned."cancelReason" end,
          updated_at = case when payments.status = returned.status then updated_at else ${now}::timestamptz end,
          booked = case when booked = payments.status then returned.status else booked end,
          status = returned.status
      from ${rowsAs('returned', rows, {
        orderId: 'uuid',
        status: 'text',
        reserved: 'numeric',
        disputed: 'numeric',
        remainder: 'numeric',
        cancelReason: 'text',
      })}
      where order_id = returned."orderId"`);
  },

  /** Reserves a refund. The CHECK {@link capCheck} refuses what exceeds the payment. */
  async reserve(orderId: string, amount: bigint): Promise<void> {
    await run(sql`
      update payments set refund_reserved = refund_reserved + ${amount.toString()}::numeric
      where order_id = ${orderId}::uuid`);
  },

  /** Locked payments that nobody has asked the provider for, or whose intent is cancelled, never will be. */
  void(cancellations: Cancellation[], now: Date): void {
    send(sql`
      update payments
      set status = 'CANCELLED', amount = null, currency = null, reason = voided.reason, action_url = null, updated_at = ${now}
      from ${rowsAs('voided', cancellations, { orderId: 'uuid', reason: 'text' })}
      where order_id = voided."orderId"`);
  },

  /** Stores where the customers of locked payments must go. @returns the orders for which that is new */
  async setActions(actions: { orderId: string; url: string }[]): Promise<string[]> {
    const changed = await run<{ orderId: string }>(sql`
      update payments set action_url = action.url
      from ${rowsAs('action', actions, { orderId: 'uuid', url: 'text' })}
      where order_id = action."orderId" and action_url is distinct from action.url
      returning order_id as "orderId"`);
    return changed.map(({ orderId }) => orderId);
  },

  /** Finds payments by their intents. */
  async ofIntents(intentIds: string[]): Promise<Map<string, { orderId: string; status: string }>> {
    const rows = await run<{ intentId: string; orderId: string; status: string }>(sql`
      select intent_id as "intentId", order_id as "orderId", status
      from payments where intent_id = any(${intentIds}::text[])`);
    return new Map(rows.map(({ intentId, ...payment }) => [intentId, payment]));
  },

  /** Locked payments that were over are PAID after all, and are to be refunded. */
  payLate(late: { orderId: string; paymentId: string; amount: string; currency: string }[], now: Date): void {
    send(sql`
      update payments
      set status = 'PAID', booked = 'PAID', payment_id = late."paymentId", amount = late.amount, currency = late.currency,
          cancel_reason = coalesce(cancel_reason, payments.reason, 'the order was cancelled'), updated_at = ${now}
      from ${rowsAs('late', late, { orderId: 'uuid', paymentId: 'uuid', amount: 'numeric', currency: 'text' })}
      where order_id = late."orderId"`);
  },

  /** Notes for locked payments why their orders were cancelled. */
  noteCancelled(cancellations: Cancellation[]): void {
    send(sql`
      update payments set cancel_reason = cancelled.reason
      from ${rowsAs('cancelled', cancellations, { orderId: 'uuid', reason: 'text' })}
      where order_id = cancelled."orderId"`);
  },
});

interface NewRow {
  orderId: string;
  customerId: string;
  status: string;
  amount?: string;
  currency?: string;
  taxes?: string | undefined;
  reason?: string;
}

/** Returns the orders that had no payment. */
const insertMissing = (rows: NewRow[], now: Date): Sql => sql`
  insert into payments (order_id, customer_id, status, amount, currency, taxes, reason, created_at, updated_at)
  select "orderId", "customerId", status, amount, currency, taxes, reason, ${now}::timestamptz, ${now}::timestamptz
  from ${rowsAs('row', rows, {
    orderId: 'uuid',
    customerId: 'uuid',
    status: 'text',
    amount: 'numeric',
    currency: 'text',
    taxes: 'jsonb',
    reason: 'text',
  })}
  order by "orderId"
  on conflict do nothing
  returning order_id as "orderId"`;

interface PaymentRow {
  orderId: string;
  customerId: string;
  status: string;
  amount: string | null;
  currency: string | null;
  paymentId: string | null;
  cancelReason: string | null;
  taxes: { permille: number; gross: string }[] | null;
  captured: string | null;
  remainder: string | null;
}

/** The database checks which status has an amount and a payment id. */
function toPayment({
  status,
  amount,
  currency,
  paymentId,
  taxes,
  captured,
  remainder,
  ...row
}: PaymentRow): LockedPayment {
  const locked = {
    ...row,
    taxes: taxes?.map(({ permille, gross }) => ({ permille, gross: new Decimal(gross) })),
    captured: BigInt(captured ?? 0),
    remainder: remainder === null ? null : BigInt(remainder),
  };
  if (amount === null || currency === null) return { ...locked, status: 'CANCELLED' };
  const money = { amount: new Decimal(amount), currency };
  return paymentId === null
    ? { ...locked, status: status as 'CHARGING' | 'FAILED', amount: money }
    : { ...locked, status: status as 'PAID' | 'REFUNDED', amount: money, paymentId };
}
