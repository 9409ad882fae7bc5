import { rowsAs } from '@store/shared/database/rows';
import { empty, raw, type Sql, type Statements, sql } from '@store/shared/database/sql';
import type { Transaction } from '@store/shared/database/transaction';
import type { Line } from '../order.ts';
import { paymentDetailsDeletion } from '../paying/payment-details-repository.ts';

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

export interface RecordedShipment {
  orderId: string;
  shipmentId: string;
  shippedAt: Date;
}

export interface Refund {
  orderId: string;
  /** In the currency of the order. */
  amount: string;
  /** Whether `amount` is all that was returned of the payment, rather than one more part of it. */
  isWhole: boolean;
}

/** An order that was shipped or cancelled because it was due. */
interface Changed {
  orderId: string;
  customerId: string;
  /** Trace context of the payment. */
  traceparent: string | null;
}

export interface Shipped extends Changed {
  shipmentId: string;
}

/** Tables that may hold more about a person than an id. */
const personalTables = ['order_details', 'order_notes', 'shipments'].map(raw);

/**
 * Deletes personal data of orders that were in flight when their account was deleted, for an hour after the deletion. Sessions
 * end within a second, and a request takes some seconds at most.
 */
export async function deleteLateDetails({ run }: Statements): Promise<void> {
  const isLate = sql`account_id in (select account_id from deleted_accounts where deleted_at > now() - interval '1 hour')`;
  for (const table of personalTables) await run(sql`delete from ${table} where ${isLate}`);
  await run(paymentDetailsDeletion(isLate));
}

/** The saga's transitions. Each is a guarded update: an order in another state stays as it is. */
export const sagaOn = ({ run, send }: Transaction) => ({
  /**
   * PENDING -> CONFIRMED. An order that was cancelled during its payment records it and stays CANCELLED.
   * @returns the times at which the newly CONFIRMED orders were placed
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
   * @returns the number of cancelled orders
   */
  async cancelRefused(cancellations: PendingCancellation[], now: Date): Promise<number> {
    const rows = cancellations.map(({ missing, ...order }) => ({
      ...order,
      missing: missing && JSON.stringify(missing),
    }));
    const cancelled = await run(sql`
      update orders
      set status = 'CANCELLED', cancelled_at = ${now}, cancel_reason = cancellation.reason,
          missing = cancellation.missing, updated_at = ${now}
      from ${rowsAs('cancellation', rows, { orderId: 'uuid', reason: 'text', missing: 'jsonb' })}
      where id = cancellation."orderId" and status = 'PENDING' and shipped_at is null
      returning 1`);
    return cancelled.length;
  },

  /** Not cancelled and not shipped -> shipped. The order need not be paid yet: its payment may be recorded later. */
  recordShipments(shipments: RecordedShipment[], now: Date): void {
    send(sql`
      update orders set shipped_at = shipment."shippedAt", shipment_id = shipment."shipmentId", updated_at = ${now}
      from ${rowsAs('shipment', shipments, { orderId: 'uuid', shipmentId: 'uuid', shippedAt: 'timestamptz' })}
      where id = shipment."orderId" and status <> 'CANCELLED' and shipped_at is null`);
  },

  /** Records what customers have got back, up to the total of an order. */
  recordRefunds(refunds: Refund[], now: Date): void {
    send(sql`
      update orders
      set refunded = least(refund.amount + case when "isWhole" then 0 else coalesce(refunded, 0) end, total_amount),
          payment_changes = payment_changes + 1, updated_at = ${now}
      from ${rowsAs('refund', refunds, { orderId: 'uuid', amount: 'numeric', isWhole: 'bool' })}
      where id = refund."orderId" and coalesce(refunded, 0) < total_amount`);
  },

  /**
   * CONFIRMED and paid until then -> shipped, at most `limit` orders
   * @returns the shipped orders
   */
  shipPaid: (paidUntil: Date, now: Date, limit: number): Promise<Shipped[]> =>
    run(ship(sql`paid_at <= ${paidUntil} order by paid_at limit ${limit}`, now)),

  /** CONFIRMED -> shipped, one order, which the transaction has locked. @returns undefined if it is not CONFIRMED, or was shipped */
  async shipOne(orderId: string, now: Date): Promise<Shipped | undefined> {
    const [shipped] = await run<Shipped>(ship(sql`id = ${orderId}::uuid`, now));
    return shipped;
  },

  /**
   * PENDING, not shipped and placed until then -> CANCELLED, at most `limit` orders
   * @returns the cancelled orders
   */
  cancelPlaced: (placedUntil: Date, reason: string, now: Date, limit: number): Promise<Changed[]> =>
    run(
      changeDue(
        sql`status = 'PENDING' and shipped_at is null and created_at <= ${placedUntil} order by created_at limit ${limit}`,
        sql`status = 'CANCELLED', cancelled_at = ${now}, cancel_reason = ${reason}, updated_at = ${now}`,
      ),
    ),

  /** Deletes the personal data of these accounts' orders, and records that the accounts are deleted. */
  deletePersonalData(accountIds: string[]): void {
    send(sql`
      insert into deleted_accounts (account_id) select distinct unnest(${accountIds}::uuid[]) on conflict do nothing`);
    const isTheirs = sql`account_id = any(${accountIds}::uuid[])`;
    for (const table of personalTables) send(sql`delete from ${table} where ${isTheirs}`);
    send(paymentDetailsDeletion(isTheirs));
  },
});

/**
 * Changes due orders, the longest due first. Skips orders that another transaction has locked, which a later call changes.
 * @param due condition, order and limit
 */
const changeDue = (due: Sql, change: Sql, more: Sql = empty) => sql`
  with due as (select id from orders where ${due} for update skip locked)
  update orders set ${change} from due where orders.id = due.id
  returning orders.id as "orderId", account_id as "customerId", traceparent${more}`;

/** The one way to ship, for people and for the timer. @param which further conditions, order and limit */
const ship = (which: Sql, now: Date) =>
  changeDue(
    sql`status = 'CONFIRMED' and shipped_at is null and ${which}`,
    sql`shipped_at = ${now}, shipment_id = gen_random_uuid(), updated_at = ${now}`,
    sql`, shipment_id as "shipmentId"`,
  );
