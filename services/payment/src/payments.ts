import { type ConsumerGroup, handleEach } from '@store/shared/messaging/consumer/handle-once';
import { newEvent, type OrderEvent } from '@store/shared/messaging/events';
import { DomainError } from '@store/shared/values/errors';
import type { DB } from './generated/tables.ts';
import type { Payment } from './payment.ts';
import { type PaymentRepository, type PaymentTransaction, paymentsOn } from './payment-repository.ts';
import type { ChargeResult, PaymentProvider } from './provider.ts';

interface Dependencies {
  repository: PaymentRepository;
  provider: PaymentProvider;
  clock: () => Date;
  newId: () => string;
}

/** The provider's answers, obtained before the transaction. */
export interface Answers {
  charge?: ChargeResult;
  isRefunded?: boolean;
}

/**
 * Payment's steps of the saga (contract 6.1). The provider is called in `prepare`, outside any transaction; its answer is
 * stored together with the event that announces it. If the process ends in between, both are repeated with the same
 * outcome: the provider gives the same answer for the same order, and once the row is no longer CHARGING, the first
 * answer stands.
 */
export function createPayments({ repository, provider, clock, newId }: Dependencies): ConsumerGroup<DB, Answers> {
  async function prepare(event: OrderEvent): Promise<Answers> {
    if (event.kind === 'StockReserved') return charge(event.payload);
    if (event.kind === 'OrderCancelled') return refund(event.payload.orderId);
    return {};
  }

  async function charge({ orderId, customerId, total }: OrderEvent<'StockReserved'>['payload']): Promise<Answers> {
    const payment = await repository.begin({ orderId, customerId, amount: total }, clock());
    return payment.status === 'CHARGING' ? { charge: await provider.charge(payment) } : {};
  }

  async function refund(orderId: string): Promise<Answers> {
    const payment = await repository.find(orderId);
    if (payment?.status === 'PAID') {
      await provider.refund(payment);
      return { isRefunded: true };
    }
    if (payment?.status !== 'CHARGING') return {};
    // A charge was begun, but its outcome is unknown: the provider repeats it, and what was taken is refunded.
    const charge = await provider.charge(payment);
    if (charge.ok) await provider.refund({ ...payment, paymentId: charge.paymentId });
    return { charge, isRefunded: charge.ok };
  }

  /** Stores the outcome of a charge and announces it. */
  async function settle(
    tx: PaymentTransaction,
    payment: Payment & { status: 'CHARGING' },
    result: ChargeResult,
  ): Promise<Payment> {
    const { orderId, customerId, amount } = payment;
    const now = clock();
    const common = { orderId, customerId, timestamp: now.toISOString() };
    if (!result.ok) {
      const { reason } = result;
      await tx.update(orderId, { status: 'FAILED', reason, updatedAt: now });
      await tx.append(newEvent(newId(), 'PaymentFailed', { ...common, reason }));
      return { ...payment, status: 'FAILED' };
    }
    const { paymentId } = result;
    await tx.update(orderId, { status: 'PAID', paymentId, updatedAt: now });
    await tx.append(newEvent(newId(), 'OrderPaid', { ...common, paymentId, amount }));
    return { ...payment, status: 'PAID', paymentId };
  }

  const steps = handleEach<DB, PaymentTransaction, Answers>(
    {
      async StockReserved({ payload: { orderId } }, tx, { charge }) {
        const payment = await tx.findForUpdate(orderId);
        if (isCharging(payment) && charge !== undefined) await settle(tx, payment, charge);
      },

      async OrderCancelled({ payload: { orderId, customerId, reason } }, tx, { charge, isRefunded }) {
        const now = clock();
        if (await tx.insertCancelled({ orderId, customerId, reason }, now)) return;
        let payment = await tx.findForUpdate(orderId);
        if (isCharging(payment)) {
          if (charge === undefined) throw changedMeanwhile(orderId);
          payment = await settle(tx, payment, charge);
        }
        if (payment?.status !== 'PAID') return;
        if (isRefunded !== true) throw changedMeanwhile(orderId);
        const { paymentId, amount } = payment;
        await tx.update(orderId, { status: 'REFUNDED', reason, updatedAt: now });
        const timestamp = now.toISOString();
        await tx.append(newEvent(newId(), 'PaymentRefunded', { orderId, customerId, timestamp, paymentId, amount }));
      },
    },
    paymentsOn,
  );

  // A cancellation must be stored before the order's next event is prepared: one event per transaction.
  return { name: 'payment-group', chunkSize: 1, prepare, ...steps };
}

const isCharging = (payment: Payment | undefined): payment is Payment & { status: 'CHARGING' } =>
  payment?.status === 'CHARGING';

/** Another consumer still had the partition for a moment. Prepared again, the event finds what that one stored. */
const changedMeanwhile = (orderId: string) =>
  new DomainError('unavailable', `The payment of order ${orderId} was changed while its refund was prepared.`);
