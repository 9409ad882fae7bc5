import { rowsAs } from '@store/shared/database/rows';
import { type Kysely, sql, type Transaction, type Updateable } from 'kysely';
import type { DB } from './generated/tables.ts';
import type { Line, OrderStatus } from './order.ts';

export interface RecordedPayment {
  orderId: string;
  paidAt: Date;
  /** Trace context of the payment. */
  traceparent: string;
}

export interface PendingCancellation {
  orderId: string;
  reason: string;
  /** Products that the stock lacked. */
  missing?: Line[];
}

export interface Shipment {
  orderId: string;
  shippedAt: Date;
}

/** What can say more of a person than an id. */
const personal = ['order_details', 'order_notes'] as const;

/**
 * Deletes what orders have brought in the hour since the accounts were deleted: those that were on their way then. Sessions end within
 * a second, and a request takes some seconds at most.
 */
export async function forgetLate(kysely: Kysely<DB>): Promise<void> {
  for (const table of personal) {
    await kysely
      .deleteFrom(table)
      .where('account_id', 'in', (db) =>
        db
          .selectFrom('deleted_accounts')
          .select('account_id')
          .where('deleted_at', '>', sql<Date>`now() - interval '1 hour'`),
      )
      .execute();
  }
}

/** The saga's transitions. Each is a guarded update: an order in any other state stays as it is. */
export const sagaOn = (tx: Transaction<DB>) => ({
  /**
   * PENDING -> CONFIRMED. An order that was cancelled during its payment records it and stays CANCELLED.
   * @returns when the orders that are CONFIRMED now were placed
   */
  async confirm(payments: RecordedPayment[], now: Date): Promise<Date[]> {
    const { rows } = await sql<{ status: string; createdAt: Date }>`
      update orders
      set status = case status when 'PENDING' then 'CONFIRMED' else status end,
          paid_at = payment."paidAt", traceparent = payment.traceparent, updated_at = ${now}
      from ${rowsAs('payment', payments, { orderId: 'uuid', paidAt: 'timestamptz', traceparent: 'text' })}
      where id = payment."orderId" and (status = 'PENDING' or status = 'CANCELLED' and paid_at is null)
      returning status, created_at as "createdAt"`.execute(tx);
    return rows.flatMap(({ status, createdAt }) => (status === 'CONFIRMED' ? [createdAt] : []));
  },

  /**
   * PENDING and not shipped -> CANCELLED
   * @returns how many were cancelled
   */
  async cancelRefused(cancellations: PendingCancellation[], now: Date): Promise<number> {
    const rows = cancellations.map((one) => ({ ...one, missing: one.missing && JSON.stringify(one.missing) }));
    const { numAffectedRows = 0n } = await sql`
      update orders
      set status = 'CANCELLED', cancelled_at = ${now}, cancel_reason = cancellation.reason,
          missing = cancellation.missing, updated_at = ${now}
      from ${rowsAs('cancellation', rows, { orderId: 'uuid', reason: 'text', missing: 'jsonb' })}
      where id = cancellation."orderId" and status = 'PENDING' and shipped_at is null`.execute(tx);
    return Number(numAffectedRows);
  },

  /** Not cancelled and not shipped -> shipped. It need not be paid: its payment may be recorded later. */
  async recordShipments(shipments: Shipment[], now: Date): Promise<void> {
    await sql`
      update orders set shipped_at = shipment."shippedAt", updated_at = ${now}
      from ${rowsAs('shipment', shipments, { orderId: 'uuid', shippedAt: 'timestamptz' })}
      where id = shipment."orderId" and status <> 'CANCELLED' and shipped_at is null`.execute(tx);
  },

  /**
   * CONFIRMED and paid until then -> shipped, at most `limit` orders
   * @returns what was shipped
   */
  shipPaid: (paidUntil: Date, now: Date, limit: number) =>
    changeDue(tx, due(tx, 'CONFIRMED', 'paid_at', paidUntil, limit), { shipped_at: now, updated_at: now }),

  /**
   * PENDING, not shipped and placed until then -> CANCELLED, at most `limit` orders
   * @returns what was cancelled
   */
  cancelPlaced: (placedUntil: Date, reason: string, now: Date, limit: number) =>
    changeDue(tx, due(tx, 'PENDING', 'created_at', placedUntil, limit), {
      status: 'CANCELLED',
      cancelled_at: now,
      cancel_reason: reason,
      updated_at: now,
    }),

  /** Deletes what orders have of the persons whose accounts are deleted. */
  async forget(accountIds: string[]): Promise<void> {
    const accounts = [...new Set(accountIds)].map((account_id) => ({ account_id }));
    await tx
      .insertInto('deleted_accounts')
      .values(accounts)
      .onConflict((conflict) => conflict.doNothing())
      .execute();
    for (const table of personal)
      await tx.deleteFrom(table).where('account_id', '=', sql<string>`any(${accountIds}::uuid[])`).execute();
  },
});

/** Selects orders whose time has come, the longest due first. What others have locked is left for later. */
const due = (tx: Transaction<DB>, status: OrderStatus, since: 'paid_at' | 'created_at', until: Date, limit: number) =>
  tx
    .selectFrom('orders')
    .select('id')
    .where('status', '=', status)
    .where('shipped_at', 'is', null)
    .where(since, '<=', until)
    .orderBy(since)
    .limit(limit)
    .forUpdate()
    .skipLocked();

const changeDue = (tx: Transaction<DB>, orders: ReturnType<typeof due>, change: Updateable<DB['orders']>) =>
  tx
    .with('due', () => orders)
    .updateTable('orders')
    .from('due')
    .set(change)
    .whereRef('orders.id', '=', 'due.id')
    .returning(['orders.id as orderId', 'account_id as customerId', 'traceparent'])
    .execute();
