import type { StoredEvent } from '@store/shared/messaging/events';
import { appendToOutbox } from '@store/shared/messaging/outbox/append';
import { type Kysely, sql, type Transaction } from 'kysely';
import type { DB } from './generated/tables.ts';

export type SagaRepository = ReturnType<typeof createSagaRepository>;
export type SagaTransaction = ReturnType<typeof sagaOn>;

export const createSagaRepository = (kysely: Kysely<DB>) => ({
  transaction: <T>(work: (tx: SagaTransaction) => Promise<T>): Promise<T> =>
    kysely.transaction().execute((tx) => work(sagaOn(tx))),
});

/** The saga's transitions. Each is a guarded update: an order in any other state stays as it is. */
export const sagaOn = (tx: Transaction<DB>) => ({
  /**
   * PENDING -> CONFIRMED. An order that was cancelled during its payment records it and stays CANCELLED.
   * @param traceparent of the payment
   */
  async pay(orderId: string, paidAt: Date, now: Date, traceparent: string | undefined): Promise<void> {
    await tx
      .updateTable('orders')
      .set({
        ...{ paid_at: paidAt, traceparent, updated_at: now },
        status: sql<string>`case status when 'PENDING' then 'CONFIRMED' else status end`,
      })
      .where('id', '=', orderId)
      .where((eb) =>
        eb.or([eb('status', '=', 'PENDING'), eb.and([eb('status', '=', 'CANCELLED'), eb('paid_at', 'is', null)])]),
      )
      .execute();
  },

  /** PENDING and not shipped -> CANCELLED */
  async cancelPending(orderId: string, reason: string, now: Date): Promise<void> {
    await tx
      .updateTable('orders')
      .set({ status: 'CANCELLED', cancelled_at: now, cancel_reason: reason, updated_at: now })
      .where('id', '=', orderId)
      .where('status', '=', 'PENDING')
      .where('shipped_at', 'is', null)
      .execute();
  },

  /**
   * CONFIRMED and paid until then -> shipped, at most `limit` orders. What others have locked is left for later.
   * @returns what was shipped
   */
  shipPaid: (paidUntil: Date, now: Date, limit: number) =>
    tx
      .with('due', (db) =>
        db
          .selectFrom('orders')
          .select('id')
          .where('status', '=', 'CONFIRMED')
          .where('shipped_at', 'is', null)
          .where('paid_at', '<=', paidUntil)
          .orderBy('paid_at')
          .limit(limit)
          .forUpdate()
          .skipLocked(),
      )
      .updateTable('orders')
      .from('due')
      .set({ shipped_at: now, updated_at: now })
      .whereRef('orders.id', '=', 'due.id')
      .returning(['orders.id as orderId', 'account_id as customerId', 'traceparent'])
      .execute(),

  /**
   * PENDING, not shipped and placed until then -> CANCELLED, at most `limit` orders. What others have locked is left for
   * later.
   * @returns what was cancelled
   */
  cancelPlaced: (placedUntil: Date, reason: string, now: Date, limit: number) =>
    tx
      .with('due', (db) =>
        db
          .selectFrom('orders')
          .select('id')
          .where('status', '=', 'PENDING')
          .where('shipped_at', 'is', null)
          .where('created_at', '<=', placedUntil)
          .orderBy('created_at')
          .limit(limit)
          .forUpdate()
          .skipLocked(),
      )
      .updateTable('orders')
      .from('due')
      .set({ status: 'CANCELLED', cancelled_at: now, cancel_reason: reason, updated_at: now })
      .whereRef('orders.id', '=', 'due.id')
      .returning(['orders.id as orderId', 'account_id as customerId'])
      .execute(),

  /** Not cancelled and not shipped -> shipped. It need not be paid: its payment may be recorded later. */
  async recordShipment(orderId: string, shippedAt: Date, now: Date): Promise<void> {
    await tx
      .updateTable('orders')
      .set({ shipped_at: shippedAt, updated_at: now })
      .where('id', '=', orderId)
      .where('status', '<>', 'CANCELLED')
      .where('shipped_at', 'is', null)
      .execute();
  },

  append: (events: StoredEvent[]): Promise<void> => appendToOutbox(tx, ...events),
});
