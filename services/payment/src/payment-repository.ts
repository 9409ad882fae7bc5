import type { StoredEvent } from '@store/shared/messaging/events';
import { appendToOutbox } from '@store/shared/messaging/outbox/append';
import { Decimal, type Money } from '@store/shared/values/money';
import type { Kysely, Transaction } from 'kysely';
import type { DB } from './generated/tables.ts';
import type { Payment, PaymentStatus } from './payment.ts';

export interface PaymentStart {
  orderId: string;
  customerId: string;
  amount: Money;
}

export interface PaymentChange {
  status: PaymentStatus;
  updatedAt: Date;
  paymentId?: string;
  reason?: string;
}

export type PaymentRepository = ReturnType<typeof createPaymentRepository>;
export type PaymentTransaction = ReturnType<typeof paymentsOn>;

export function createPaymentRepository(kysely: Kysely<DB>) {
  const find = (orderId: string): Promise<Payment | undefined> =>
    selectPayment(kysely, orderId).executeTakeFirst().then(toPayment);

  return {
    find,

    /** Stores a payment as CHARGING unless the order has one. @returns the stored payment */
    async begin(start: PaymentStart, now: Date): Promise<Payment> {
      const { orderId, customerId, amount } = start;
      const inserted = await kysely
        .insertInto('payments')
        .values({
          ...{ order_id: orderId, customer_id: customerId, status: 'CHARGING', created_at: now, updated_at: now },
          ...{ amount: amount.amount.toFixed(), currency: amount.currency },
        })
        .onConflict((conflict) => conflict.doNothing())
        .returning('order_id')
        .executeTakeFirst();
      const known = inserted === undefined ? await find(orderId) : undefined;
      return known ?? { ...start, status: 'CHARGING' };
    },
  };
}

export const paymentsOn = (tx: Transaction<DB>) => ({
  findForUpdate: (orderId: string): Promise<Payment | undefined> =>
    selectPayment(tx, orderId).forUpdate().executeTakeFirst().then(toPayment),

  /** Stores an order without payment as CANCELLED. @returns false if the order has a payment */
  async insertCancelled(
    { orderId, customerId, reason }: { orderId: string; customerId: string; reason: string },
    now: Date,
  ): Promise<boolean> {
    const inserted = await tx
      .insertInto('payments')
      .values({
        ...{ order_id: orderId, customer_id: customerId, status: 'CANCELLED', reason },
        ...{ created_at: now, updated_at: now },
      })
      .onConflict((conflict) => conflict.doNothing())
      .returning('order_id')
      .executeTakeFirst();
    return inserted !== undefined;
  },

  /** Leaves undefined properties as they are. */
  async update(orderId: string, { status, paymentId, reason, updatedAt }: PaymentChange): Promise<void> {
    await tx
      .updateTable('payments')
      .set({ status, payment_id: paymentId, reason, updated_at: updatedAt })
      .where('order_id', '=', orderId)
      .execute();
  },

  append: (event: StoredEvent): Promise<void> => appendToOutbox(tx, event),
});

const selectPayment = (kysely: Kysely<DB>, orderId: string) =>
  kysely
    .selectFrom('payments')
    .select([
      ...(['order_id as orderId', 'customer_id as customerId', 'status'] as const),
      ...(['amount', 'currency', 'payment_id as paymentId'] as const),
    ])
    .where('order_id', '=', orderId);

type PaymentRow = Awaited<ReturnType<ReturnType<typeof selectPayment>['executeTakeFirstOrThrow']>>;

/** The database checks which status has an amount and a payment id. */
function toPayment(row: PaymentRow | undefined): Payment | undefined {
  if (row === undefined) return undefined;
  const { status, amount, currency, paymentId, ...order } = row;
  if (amount === null || currency === null) return { ...order, status: 'CANCELLED' };
  const money = { amount: new Decimal(amount), currency };
  return paymentId === null
    ? { ...order, status: status as 'CHARGING' | 'FAILED', amount: money }
    : { ...order, status: status as 'PAID' | 'REFUNDED', amount: money, paymentId };
}
