import type { Query, Transact } from '@store/shared/database/query';
import type { HandlerTransaction } from '@store/shared/messaging/consumer/consumer';
import type { StoredEvent } from '@store/shared/messaging/events';
import { appendToOutbox } from '@store/shared/messaging/outbox/relay';
import { Decimal, type Money } from '@store/shared/values/money';
import type { Payment, PaymentStatus } from './payment.ts';

export interface PaymentStart {
  orderId: string;
  customerId: string;
  amount: Money;
}

export interface PaymentRepository {
  find(orderId: string): Promise<Payment | undefined>;
  /** Stores a payment as CHARGING, unless one of this order is known; returns what is stored then. */
  begin(start: PaymentStart, now: Date): Promise<Payment>;
  transaction<T>(work: (tx: PaymentTransaction) => Promise<T>): Promise<T>;
}

export interface PaymentChange {
  status: PaymentStatus;
  updatedAt: Date;
  paymentId?: string;
  reason?: string;
}

export interface PaymentTransaction extends HandlerTransaction {
  findForUpdate(orderId: string): Promise<Payment | undefined>;
  /** Stores an order without payment as CANCELLED; false where one is known. */
  insertCancelled(order: { orderId: string; customerId: string; reason: string }, now: Date): Promise<boolean>;
  update(orderId: string, change: PaymentChange): Promise<void>;
  append(event: StoredEvent): Promise<void>;
}

interface Database {
  query: Query;
  transact: Transact;
}

export function createPaymentRepository({ query, transact }: Database): PaymentRepository {
  const find = (orderId: string) => findPayment(query, orderId);

  return {
    find,

    async begin(start, now) {
      const { orderId, customerId, amount } = start;
      const [begun] = await query(
        `insert into payments (order_id, customer_id, status, amount, currency, created_at, updated_at)
         values ($1, $2, 'CHARGING', $3, $4, $5, $5) on conflict do nothing returning 1`,
        ...[orderId, customerId, amount.amount.toFixed(), amount.currency, now],
      );
      const known = begun ? undefined : await find(orderId);
      return known ?? { ...start, status: 'CHARGING' };
    },

    transaction: (work) => transact((query) => work(paymentsIn(query))),
  };
}

const paymentsIn = (query: Query): PaymentTransaction => ({
  query,

  findForUpdate: (orderId) => findPayment(query, orderId, 'for update'),

  async insertCancelled({ orderId, customerId, reason }, now) {
    const inserted = await query(
      `insert into payments (order_id, customer_id, status, reason, created_at, updated_at)
       values ($1, $2, 'CANCELLED', $3, $4, $4) on conflict do nothing returning 1`,
      ...[orderId, customerId, reason, now],
    );
    return inserted.length > 0;
  },

  async update(orderId, { status, paymentId, reason, updatedAt }) {
    await query(
      `update payments set status = $2, payment_id = coalesce($3, payment_id), reason = coalesce($4, reason),
         updated_at = $5
       where order_id = $1`,
      ...[orderId, status, paymentId, reason, updatedAt],
    );
  },

  append: (event) => appendToOutbox(query, event),
});

interface PaymentRow {
  orderId: string;
  customerId: string;
  status: PaymentStatus;
  amount: string | null;
  currency: string | null;
  paymentId: string | null;
}

/** The database checks which status has an amount and a payment id. */
async function findPayment(query: Query, orderId: string, lock = ''): Promise<Payment | undefined> {
  const [row] = await query<PaymentRow>(
    `select order_id as "orderId", customer_id as "customerId", status, amount, currency, payment_id as "paymentId"
     from payments where order_id = $1 ${lock}`,
    orderId,
  );
  if (row === undefined) return undefined;
  const { status, amount, currency, paymentId, ...order } = row;
  if (amount === null || currency === null) return { ...order, status: 'CANCELLED' };
  const money = { amount: new Decimal(amount), currency };
  return paymentId === null
    ? { ...order, status: status as 'CHARGING' | 'FAILED', amount: money }
    : { ...order, status: status as 'PAID' | 'REFUNDED', amount: money, paymentId };
}
