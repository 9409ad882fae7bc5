import { sql, type Transaction } from 'kysely';
import type { DB } from './generated/tables.ts';

export type SagaRepository = ReturnType<typeof sagaRepositoryOn>;

/** The saga's transitions. Each is a guarded update: an order in any other state stays as it is. */
export const sagaRepositoryOn = (tx: Transaction<DB>) => ({
  /** PENDING -> CONFIRMED. An order that was cancelled during its payment records it and stays CANCELLED. */
  async pay(orderId: string, paidAt: Date, now: Date): Promise<void> {
    await tx
      .updateTable('orders')
      .set({
        paid_at: paidAt,
        updated_at: now,
        status: sql<string>`case status when 'PENDING' then 'CONFIRMED' else status end`,
      })
      .where('id', '=', orderId)
      .where((eb) =>
        eb.or([eb('status', '=', 'PENDING'), eb.and([eb('status', '=', 'CANCELLED'), eb('paid_at', 'is', null)])]),
      )
      .execute();
  },

  /** PENDING -> CANCELLED */
  async cancelPending(orderId: string, reason: string, now: Date): Promise<void> {
    await tx
      .updateTable('orders')
      .set({ status: 'CANCELLED', cancelled_at: now, cancel_reason: reason, updated_at: now })
      .where('id', '=', orderId)
      .where('status', '=', 'PENDING')
      .execute();
  },

  /** CONFIRMED and not shipped -> shipped */
  async ship(orderId: string, shippedAt: Date, now: Date): Promise<void> {
    await tx
      .updateTable('orders')
      .set({ shipped_at: shippedAt, updated_at: now })
      .where('id', '=', orderId)
      .where('status', '=', 'CONFIRMED')
      .where('shipped_at', 'is', null)
      .execute();
  },
});
