import { rowsAs } from '@store/shared/database/rows';
import { raw, type Sql, type Statements, sql } from '@store/shared/database/sql';
import type { Transaction } from '@store/shared/database/transaction';
import type { Line } from '../order.ts';

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

/** An order that was shipped or cancelled because its time had come. */
interface Changed {
  orderId: string;
  customerId: string;
  /** Trace context of the payment. */
  traceparent: string | null;
}

/** What can say more of a person than an id. */
const personalTables = ['order_details', 'order_notes'].map(raw);

/**
 * Deletes what orders have brought in the hour since the accounts were deleted: those that were on their way then. Sessions end within
 * a second, and a request takes some seconds at most.
 */
export async function deleteLateDetails({ run }: Statements): Promise<void> {
  for (const table of personalTables) {
    await run(sql`
      delete from ${table} where account_id in (
        select account_id from deleted_accounts where deleted_at > now() - interval '1 hour')`);
  }
}

/** The saga's transitions. Each is a guarded update: an order in any other state stays as it is. */
export const sagaOn = ({ run }: Transaction) => ({
  /**
   * PENDING -> CONFIRMED. An order that was cancelled during its payment records it and stays CANCELLED.
   * @returns when the orders that are CONFIRMED now were placed
   */
  async confirm(payments: RecordedPayment[], now: Date): Promise<Date[]> {
    const rows = await run<{ status: string; createdAt: Date }>(sql`
      update orders
      set status = case status when 'PENDING' then 'CONFIRMED' else status end,
          paid_at = payment."paidAt", traceparent = payment.traceparent, updated_at = ${now}
      from ${rowsAs('payment', payments, { orderId: 'uuid', paidAt: 'timestamptz', traceparent: 'text' })}
      where id = payment."orderId" and (status = 'PENDING' or status = 'CANCELLED' and paid_at is null)
      returning status, created_at as "createdAt"`);
    return rows.flatMap(({ status, createdAt }) => (status === 'CONFIRMED' ? [createdAt] : []));
  },

  /**
   * PENDING and not shipped -> CANCELLED
   * @returns how many were cancelled
   */
  async cancelRefused(cancellations: PendingCancellation[], now: Date): Promise<number> {
    const rows = cancellations.map((one) => ({ ...one, missing: one.missing && JSON.stringify(one.missing) }));
    const cancelled = await run(sql`
      update orders
      set status = 'CANCELLED', cancelled_at = ${now}, cancel_reason = cancellation.reason,
          missing = cancellation.missing, updated_at = ${now}
      from ${rowsAs('cancellation', rows, { orderId: 'uuid', reason: 'text', missing: 'jsonb' })}
      where id = cancellation."orderId" and status = 'PENDING' and shipped_at is null
      returning 1`);
    return cancelled.length;
  },

  /** Not cancelled and not shipped -> shipped. It need not be paid: its payment may be recorded later. */
  async recordShipments(shipments: Shipment[], now: Date): Promise<void> {
    await run(sql`
      update orders set shipped_at = shipment."shippedAt", updated_at = ${now}
      from ${rowsAs('shipment', shipments, { orderId: 'uuid', shippedAt: 'timestamptz' })}
      where id = shipment."orderId" and status <> 'CANCELLED' and shipped_at is null`);
  },

  /**
   * CONFIRMED and paid until then -> shipped, at most `limit` orders
   * @returns what was shipped
   */
  shipPaid: (paidUntil: Date, now: Date, limit: number): Promise<Changed[]> =>
    run(
      changeDue(
        sql`status = 'CONFIRMED' and shipped_at is null and paid_at <= ${paidUntil} order by paid_at limit ${limit}`,
        sql`shipped_at = ${now}, updated_at = ${now}`,
      ),
    ),

  /**
   * PENDING, not shipped and placed until then -> CANCELLED, at most `limit` orders
   * @returns what was cancelled
   */
  cancelPlaced: (placedUntil: Date, reason: string, now: Date, limit: number): Promise<Changed[]> =>
    run(
      changeDue(
        sql`status = 'PENDING' and shipped_at is null and created_at <= ${placedUntil} order by created_at limit ${limit}`,
        sql`status = 'CANCELLED', cancelled_at = ${now}, cancel_reason = ${reason}, updated_at = ${now}`,
      ),
    ),

  /** Deletes what orders have of the persons whose accounts are deleted. */
  async deletePersonalData(accountIds: string[]): Promise<void> {
    await run(sql`
      insert into deleted_accounts (account_id) select distinct unnest(${accountIds}::uuid[]) on conflict do nothing`);
    for (const table of personalTables) {
      await run(sql`delete from ${table} where account_id = any(${accountIds}::uuid[])`);
    }
  },
});

/**
 * Changes orders whose time has come, the longest due first. What others have locked is left for later.
 * @param due condition, order and limit
 */
const changeDue = (due: Sql, change: Sql) => sql`
  with due as (select id from orders where ${due} for update skip locked)
  update orders set ${change} from due where orders.id = due.id
  returning orders.id as "orderId", account_id as "customerId", traceparent`;
