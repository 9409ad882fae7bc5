import type { Transact } from '@store/shared/database/query';
import type { HandlerTransaction } from '@store/shared/messaging/consumer/consumer';

/** Each is a guarded update: where the order is not in the state it starts from, nothing changes. */
export interface SagaTransaction extends HandlerTransaction {
  /** PENDING -> CONFIRMED. An order that was cancelled while its payment was under way notes it, and stays CANCELLED. */
  pay(orderId: string, paidAt: Date, now: Date): Promise<void>;
  /** PENDING -> CANCELLED */
  cancelPending(orderId: string, reason: string, now: Date): Promise<void>;
  /** CONFIRMED and not shipped -> shipped */
  ship(orderId: string, shippedAt: Date, now: Date): Promise<void>;
}

export interface SagaRepository {
  transaction<T>(work: (tx: SagaTransaction) => Promise<T>): Promise<T>;
}

export function createSagaRepository(transact: Transact): SagaRepository {
  return {
    transaction: (work) =>
      transact((query) =>
        work({
          query,

          async pay(orderId, paidAt, now) {
            await query(
              `update orders set paid_at = $2, updated_at = $3,
                 status = case status when 'PENDING' then 'CONFIRMED' else status end
               where id = $1 and (status = 'PENDING' or status = 'CANCELLED' and paid_at is null)`,
              ...[orderId, paidAt, now],
            );
          },

          async cancelPending(orderId, reason, now) {
            await query(
              `update orders set status = 'CANCELLED', cancelled_at = $2, cancel_reason = $3, updated_at = $2
               where id = $1 and status = 'PENDING'`,
              ...[orderId, now, reason],
            );
          },

          async ship(orderId, shippedAt, now) {
            await query(
              `update orders set shipped_at = $2, updated_at = $3
               where id = $1 and status = 'CONFIRMED' and shipped_at is null`,
              ...[orderId, shippedAt, now],
            );
          },
        }),
      ),
  };
}
