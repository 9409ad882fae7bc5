import type { Database } from '@store/shared/database/database';
import { eventsOf } from '@store/shared/messaging/outbox/events-of';
import { Decimal } from '@store/shared/values/money';
import type { DB } from './generated/tables.ts';

export type PaymentRecordRepository = ReturnType<typeof createPaymentRecordRepository>;

/** Payments as operators see them. */
export function createPaymentRecordRepository({ lists: { kysely } }: Database<DB>) {
  return {
    async find(orderId: string) {
      const row = await kysely
        .selectFrom('payments')
        .select(['order_id as orderId', 'customer_id as customerId', 'status', 'amount', 'currency', 'reason'])
        .select(['payment_id as paymentId', 'created_at as createdAt', 'updated_at as updatedAt'])
        .where('order_id', '=', orderId)
        .executeTakeFirst();
      if (row === undefined) return undefined;
      const { amount, currency, ...payment } = row;
      const money = amount === null || currency === null ? null : { amount: new Decimal(amount), currency };
      return { ...payment, amount: money, events: await eventsOf(kysely, orderId) };
    },
  };
}
