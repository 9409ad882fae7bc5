import type { EffectTransaction } from '@store/shared/consume';
import type { Prisma, PrismaClient } from './generated/client.ts';

/** Each is a guarded update: where the order is not in the state it starts from, nothing changes. */
export interface SagaTransaction extends EffectTransaction {
  /** PENDING -> CONFIRMED */
  confirm(orderId: string, paidAt: Date, now: Date): Promise<void>;
  /** The payment of an order that was cancelled while it was under way; the order stays CANCELLED. */
  notePayment(orderId: string, paidAt: Date, now: Date): Promise<void>;
  /** PENDING -> CANCELLED */
  cancelPending(orderId: string, reason: string, now: Date): Promise<void>;
  /** CONFIRMED and not shipped -> shipped */
  ship(orderId: string, shippedAt: Date, now: Date): Promise<void>;
}

export interface SagaStore {
  transaction<T>(work: (tx: SagaTransaction) => Promise<T>): Promise<T>;
}

export function createSagaStore(prisma: PrismaClient): SagaStore {
  return {
    transaction: (work) => prisma.$transaction((tx) => work(ordersIn(tx)), { timeout: 60_000, maxWait: 5_000 }),
  };
}

function ordersIn(tx: Prisma.TransactionClient): SagaTransaction {
  async function update(where: Prisma.OrderWhereInput, data: Prisma.OrderUpdateManyMutationInput): Promise<void> {
    await tx.order.updateMany({ where, data });
  }

  return {
    $queryRawUnsafe: (sql, ...values) => tx.$queryRawUnsafe(sql, ...values),
    confirm: (id, paidAt, updatedAt) => update({ id, status: 'PENDING' }, { status: 'CONFIRMED', paidAt, updatedAt }),
    notePayment: (id, paidAt, updatedAt) => update({ id, status: 'CANCELLED', paidAt: null }, { paidAt, updatedAt }),
    cancelPending: (id, cancelReason, now) =>
      update({ id, status: 'PENDING' }, { status: 'CANCELLED', cancelledAt: now, cancelReason, updatedAt: now }),
    ship: (id, shippedAt, updatedAt) => update({ id, status: 'CONFIRMED', shippedAt: null }, { shippedAt, updatedAt }),
  };
}
