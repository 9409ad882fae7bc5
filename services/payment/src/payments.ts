import type { Handlers } from '@store/shared/messaging/consumer/consumer';
import { newEvent, type OrderEvent } from '@store/shared/messaging/events';
import { DomainError } from '@store/shared/values/errors';
import type { Payment } from './payment.ts';
import type { PaymentRepository, PaymentTransaction } from './payment-repository.ts';
import type { ChargeResult, PaymentProvider } from './provider.ts';

interface Dependencies {
  repository: PaymentRepository;
  provider: PaymentProvider;
  clock: () => Date;
  newId: () => string;
}

/** What the provider said before the transaction. */
export interface Answers {
  charge?: ChargeResult;
  isRefunded?: boolean;
}

/**
 * Payment's steps of the saga (decisions 5). The provider is asked in `prepare`, outside of any transaction, and its
 * answer is stored together with the event that tells it. Whatever is cut off between the two is done again with the
 * same outcome: the provider gives the same answer for the same order, and the row, once it is not CHARGING any more,
 * keeps the first one.
 */
export function createPayments({ repository, provider, clock, newId }: Dependencies) {
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
    // A charge was begun, and nobody knows its outcome any more: the provider tells it again. What was taken goes back.
    const charge = await provider.charge(payment);
    if (charge.ok) await provider.refund({ ...payment, paymentId: charge.paymentId });
    return { charge, isRefunded: charge.ok };
  }

  /** Stores the outcome of a charge, and tells it. */
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

  const handlers: Handlers<PaymentTransaction, Answers> = {
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
  };

  return { prepare, handlers };
}

const isCharging = (payment: Payment | undefined): payment is Payment & { status: 'CHARGING' } =>
  payment?.status === 'CHARGING';

/** Another process has the partition too for a moment: prepared again, the event meets what that one has stored. */
const changedMeanwhile = (orderId: string) =>
  new DomainError('unavailable', `The payment of order ${orderId} was changed while its refund was prepared.`);
