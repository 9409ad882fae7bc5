import type { EffectTransaction } from '@store/shared/consume';
import type { StoredEvent } from '@store/shared/events';
import { Decimal, type Money } from '@store/shared/money';
import { appendToOutbox } from '@store/shared/outbox';
import type { Payment as PaymentRow, Prisma, PrismaClient } from './generated/client.ts';
import type { Payment, PaymentStatus } from './payment.ts';

export interface PaymentStart {
  orderId: string;
  customerId: string;
  amount: Money;
}

export interface PaymentStore {
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

export interface PaymentTransaction extends EffectTransaction {
  findForUpdate(orderId: string): Promise<Payment | undefined>;
  /** Stores an order without payment as CANCELLED; false where one is known. */
  insertCancelled(order: { orderId: string; customerId: string; reason: string }, now: Date): Promise<boolean>;
  update(orderId: string, change: PaymentChange): Promise<void>;
  append(event: StoredEvent): Promise<void>;
}

export function createPaymentStore(prisma: PrismaClient): PaymentStore {
  async function find(orderId: string): Promise<Payment | undefined> {
    const row = await prisma.payment.findUnique({ where: { orderId } });
    return row === null ? undefined : toPayment(row);
  }

  return {
    find,

    async begin(start, now) {
      const { orderId, customerId, amount } = start;
      const { count } = await prisma.payment.createMany({
        data: {
          ...{ orderId, customerId, status: 'CHARGING', createdAt: now, updatedAt: now },
          ...{ amount: amount.amount.toFixed(), currency: amount.currency },
        },
        skipDuplicates: true,
      });
      const known = count === 1 ? undefined : await find(orderId);
      return known ?? { ...start, status: 'CHARGING' };
    },

    transaction: (work) => prisma.$transaction((tx) => work(paymentsIn(tx)), { timeout: 60_000, maxWait: 5_000 }),
  };
}

const paymentsIn = (tx: Prisma.TransactionClient): PaymentTransaction => ({
  $queryRawUnsafe: (sql, ...values) => tx.$queryRawUnsafe(sql, ...values),

  async findForUpdate(orderId) {
    await tx.$queryRaw`select from payments where order_id = ${orderId}::uuid for update`;
    const row = await tx.payment.findUnique({ where: { orderId } });
    return row === null ? undefined : toPayment(row);
  },

  async insertCancelled(order, now) {
    const data = { ...order, status: 'CANCELLED', createdAt: now, updatedAt: now };
    const { count } = await tx.payment.createMany({ data, skipDuplicates: true });
    return count === 1;
  },

  async update(orderId, change) {
    await tx.payment.update({ where: { orderId }, data: change });
  },

  append: (event) => appendToOutbox(tx, event),
});

/** The database checks which status has an amount and a payment id. */
function toPayment({ orderId, customerId, status, amount, currency, paymentId }: PaymentRow): Payment {
  const order = { orderId, customerId };
  if (amount === null || currency === null) return { ...order, status: 'CANCELLED' };
  const money = { amount: new Decimal(amount.toFixed()), currency };
  return paymentId === null
    ? { ...order, status: status as 'CHARGING' | 'FAILED', amount: money }
    : { ...order, status: status as 'PAID' | 'REFUNDED', amount: money, paymentId };
}
