import type { TransactionOf } from '@store/shared/database/transaction';
import { newEvent, type StoredEvent } from '@store/shared/messaging/events';
import { appendToOutbox } from '@store/shared/messaging/outbox/append';
import { wakeOutgoing } from '@store/shared/outgoing/outgoing';
import { fromMinorUnits, type Money } from '@store/shared/values/money';
import { Counter } from 'prom-client';
import type { RefundResult } from './ask-provider.ts';
import { bookOn } from './books/entry-repository.ts';
import { chargedShares, taxesOfRefund } from './books/tax.ts';
import type { PrismaClient } from './generated/client.ts';
import { type LockedPayment, paymentsOn } from './payment-repository.ts';
import type { Intent } from './providers/provider.ts';
import {
  cancellationRefundId,
  countsOf,
  type Dispute,
  disputeId,
  leftOf,
  nextOfCancelled,
  outsideRefundId,
  type PaidPayment,
  type Refund,
  type Returns,
  remainderOf,
} from './refund.ts';
import { refundsOn } from './refund-repository.ts';
import { type NewRefund, queueName, stepsOn } from './step-repository.ts';

const refundStates = { pending: 'PENDING', succeeded: 'SUCCEEDED', failed: 'FAILED' } as const;
const disputeStates = { open: 'OPEN', won: 'WON', lost: 'LOST' } as const;
const refusedByProvider = 'The provider has refused the refund, or could not carry it out.';

const ended = new Counter({
  name: 'payment_refunds_total',
  help: 'Refunds that have ended, by result: succeeded, failed.',
  labelNames: ['result'],
});
// A counter that first appears with its first failure would show no increase.
for (const result of ['succeeded', 'failed']) ended.inc({ result }, 0);

export const isPaid = (payment: LockedPayment): payment is PaidPayment =>
  payment.status === 'PAID' || payment.status === 'REFUNDED';

export type OpenReturns = Awaited<ReturnType<typeof openReturns>>;

/**
 * Reads what went back of locked payments, and collects changes of it until `store` writes them, with the events that announce them.
 * After each change of a cancelled order's payment, what is left is refunded, or the payment is REFUNDED (contract 4.18).
 */
export async function openReturns(tx: TransactionOf<PrismaClient>, payments: LockedPayment[], now: Date) {
  const repository = refundsOn(tx);
  const paid = payments.filter(isPaid);
  const stored = await repository.ofOrders(paid.map(({ orderId }) => orderId));
  const all = new Map<string, Returns>(
    paid.map((payment) => {
      const own = ({ orderId }: { orderId: string }) => orderId === payment.orderId;
      return [payment.orderId, { payment, refunds: stored.refunds.filter(own), disputes: stored.disputes.filter(own) }];
    }),
  );
  const touched = new Set<Returns>();
  const added = new Set<Refund>();
  const changed = new Set<Refund>();
  const disputes = new Set<Dispute>();
  const steps: NewRefund[] = [];
  const events: StoredEvent[] = [];
  const bookings: ((books: ReturnType<typeof bookOn>) => void)[] = [];

  const common = ({ payment: { orderId, customerId } }: Returns) => ({
    orderId,
    customerId,
    timestamp: now.toISOString(),
  });
  const money = ({ payment }: Returns, amount: bigint): Money => fromMinorUnits(amount, payment.amount.currency);

  function add(returns: Returns, refund: Pick<Refund, 'id' | 'source' | 'state' | 'amount'> & Partial<Refund>): Refund {
    const { orderId, customerId, amount } = returns.payment;
    const { currency } = amount;
    const empty = { lines: null, reason: null, actor: null, failure: null, providerRef: null };
    const whole = { ...empty, orderId, customerId, currency, createdAt: now, updatedAt: now, ...refund };
    returns.refunds.push(whole);
    added.add(whole);
    touched.add(returns);
    return whole;
  }

  function setState(returns: Returns, refund: Refund, state: Refund['state'], providerRef: string | null): void {
    if (refund.state === state && refund.providerRef === (providerRef ?? refund.providerRef)) return;
    // An answer that is older than the last.
    if (state === 'PENDING' && refund.state !== 'PENDING') return;
    const isNew = refund.state !== state;
    refund.state = state;
    refund.failure = state === 'FAILED' ? refusedByProvider : null;
    refund.providerRef = providerRef ?? refund.providerRef;
    refund.updatedAt = now;
    if (!added.has(refund)) changed.add(refund);
    touched.add(returns);
    if (isNew) announce(returns, refund);
  }

  /** Books and announces a refund that has ended. A cancelled order's own refund is announced once all is back. */
  function announce(returns: Returns, { id, source, state, amount, currency }: Refund): void {
    if (state === 'PENDING') return;
    ended.inc({ result: state === 'SUCCEEDED' ? 'succeeded' : 'failed' });
    const { orderId, captured, taxes } = returns.payment;
    if (state === 'FAILED') {
      bookings.push((books) => books.refundFailed({ stepId: id, orderId, at: now }));
      return;
    }
    const earlier = returns.refunds.filter((one) => one.id !== id && one.state === 'SUCCEEDED');
    const { shares, tax } = taxesOfRefund(
      amount,
      chargedShares(captured, taxes, currency),
      earlier.map((one) => one.amount),
    );
    bookings.push((books) => books.refunded({ stepId: id, orderId, currency, amount, tax, at: now }));
    if (source === 'cancellation') return;
    const { paymentId } = returns.payment;
    const returned = shares.map(({ permille, gross }) => ({ permille, gross: money(returns, gross).amount }));
    events.push(
      newEvent('RefundIssued', {
        ...common(returns),
        refundId: id,
        paymentId,
        amount: money(returns, amount),
        ...(returned.length > 0 && { taxes: returned }),
      }),
    );
  }

  /** @param traceparent of what has changed the payment, for the next call of the provider */
  function goOn(returns: Returns, traceparent: string): void {
    const { payment, refunds } = returns;
    if (payment.status !== 'PAID' || payment.cancelReason === null) return;
    const next = nextOfCancelled(returns);
    if (next === 'waits') return;
    if (next === 'returned') {
      const { paymentId, amount, captured } = payment;
      const remainder = remainderOf(returns);
      payment.status = 'REFUNDED';
      payment.remainder = remainder;
      touched.add(returns);
      const isPart = remainder !== captured && { remainder: money(returns, remainder) };
      events.push(newEvent('PaymentRefunded', { ...common(returns), paymentId, amount, ...isPart }));
      return;
    }
    const earlier = refunds.filter(({ source }) => source === 'cancellation').length;
    const id = cancellationRefundId(payment.orderId, earlier);
    const refund = add(returns, { id, source: 'cancellation', state: 'PENDING', amount: next.refund });
    // An amount with more digits than the currency has goes back as it came.
    const amount = next.refund === payment.captured ? payment.amount : money(returns, refund.amount);
    const { orderId, customerId, paymentId } = payment;
    steps.push({ id, orderId, customerId, paymentId, amount, traceparent });
  }

  return {
    /** Refunds what is left of an order's payment, once its cancellation is noted. */
    cancel(orderId: string, cancelReason: string, traceparent: string): void {
      const returns = all.get(orderId);
      if (returns === undefined) return;
      returns.payment.cancelReason = cancelReason;
      goOn(returns, traceparent);
    },

    /** Stores what the provider says about a refund that it was asked for. */
    settle(orderId: string, { stepId = '', id, state }: RefundResult['refund'], traceparent: string): void {
      const providerRef = id ?? null;
      const returns = all.get(orderId);
      if (returns === undefined) return;
      const refund = returns.refunds.find((one) => one.id === stepId);
      if (refund !== undefined) setState(returns, refund, refundStates[state], providerRef);
      else if (returns.payment.status === 'PAID' && state === 'succeeded') {
        // The previous release has asked for it, always for the whole payment, and has not reserved it.
        const amount = leftOf(returns);
        const asked = { id: stepId, source: 'cancellation', state: 'SUCCEEDED', amount, providerRef } as const;
        if (amount > 0n) announce(returns, add(returns, asked));
      }
      goOn(returns, traceparent);
    },

    /**
     * Books refunds and disputes of an intent as the provider tells them, also those that the store has not asked for. Repeating it
     * books nothing.
     */
    recordOutside(orderId: string, told: Pick<Intent, 'refunds' | 'disputes'>, traceparent: string): void {
      const returns = all.get(orderId);
      if (returns === undefined) return;
      for (const { id: providerRef, stepId, amount, state } of told.refunds) {
        const id = stepId ?? outsideRefundId(providerRef);
        const known = returns.refunds.find((refund) => refund.id === id || refund.providerRef === providerRef);
        if (known !== undefined) setState(returns, known, refundStates[state], providerRef);
        // The outcome of a step that has no refund is for `settle`.
        if (known !== undefined || stepId !== undefined || amount === 0n) continue;
        const failure = state === 'failed' ? refusedByProvider : null;
        const refund = { id, source: 'provider' as const, state: refundStates[state], amount, failure, providerRef };
        announce(returns, add(returns, refund));
        if (state !== 'pending') continue;
        const { customerId } = returns.payment;
        steps.push({ id, orderId, customerId, paymentId: null, amount: money(returns, amount), traceparent });
      }
      for (const { id: providerRef, amount, state } of told.disputes) {
        const id = disputeId(providerRef);
        const known = returns.disputes.find((dispute) => dispute.id === id);
        const isOlder = known !== undefined && known.state !== 'OPEN' && state === 'open';
        if (isOlder || amount === 0n || (known?.state === disputeStates[state] && known.amount === amount)) continue;
        const { orderId, customerId, paymentId } = returns.payment;
        const { currency } = returns.payment.amount;
        const dispute = { id, providerRef, orderId, customerId, amount, currency, state: disputeStates[state] };
        const whole: Dispute = { ...dispute, createdAt: known?.createdAt ?? now, updatedAt: now };
        returns.disputes = [...returns.disputes.filter((dispute) => dispute.id !== id), whole];
        disputes.add(whole);
        touched.add(returns);
        const about = {
          ...common(returns),
          disputeId: id,
          paymentId,
          amount: money(returns, amount),
          state: whole.state,
        };
        events.push(newEvent('PaymentDisputed', about));
        bookings.push((books) => books.disputed({ disputeId: providerRef, orderId, currency, amount, state, at: now }));
      }
      goOn(returns, traceparent);
    },

    /** Writes what has changed. */
    async store(): Promise<void> {
      if (added.size > 0) await repository.insert([...added]);
      for (const refund of changed) await repository.update(refund);
      for (const dispute of disputes) await repository.save(dispute);
      const counts = [...touched].map((returns) => {
        const { orderId, status, remainder, cancelReason } = returns.payment;
        return { orderId, status, remainder, cancelReason, ...countsOf(returns) };
      });
      if (counts.length > 0) paymentsOn(tx).setReturned(counts, now);
      for (const book of bookings) book(bookOn(tx));
      if (events.length > 0) appendToOutbox(tx, ...events);
      if (steps.length === 0) return;
      stepsOn(tx).addRefunds(steps);
      wakeOutgoing(tx, queueName);
    },
  };
}
