import { randomUUID } from 'node:crypto';
import type { DisputeRecordOut, RefundIn, RefundOut, RefundRecordOut } from '@store/shared/contracts/refund';
import { type RecordLook, recordChange } from '@store/shared/database/audit';
import type { Database } from '@store/shared/database/database';
import { isRefusedBy } from '@store/shared/database/errors';
import { currentTrace, traceFrom } from '@store/shared/observability/trace-context';
import { wakeOutgoing } from '@store/shared/outgoing/outgoing';
import { minorUnit } from '@store/shared/values/currencies';
import { DomainError, found, invalidFields } from '@store/shared/values/errors';
import { stringifyJson } from '@store/shared/values/json';
import { fromMinorUnits, toMinorUnits } from '@store/shared/values/money';
import { requestHash } from '@store/shared/values/request-hash';
import type { PrismaClient } from './generated/client.ts';
import type { OrderClient } from './order-client.ts';
import { capCheck, type PaymentRepository, paymentsOn } from './payment-repository.ts';
import { type Dispute, mergeRefundLines, type PaidPayment, priceRefund, type Refund } from './refund.ts';
import { type RefundRepository, refundsOn } from './refund-repository.ts';
import { isPaid } from './returns.ts';
import { queueName, stepsOn } from './step-repository.ts';

/** Per order, so that its page and the customer's list stay readable. */
const maxRefunds = 100;

interface Dependencies {
  transactionOf: Database<PrismaClient>['transactionOf'];
  repository: RefundRepository;
  payments: Pick<PaymentRepository, 'customerOf'>;
  orders: OrderClient;
  recordLook: RecordLook;
  clock: () => Date;
}

/** Who reads refunds. An operator sees those of all customers, and more of each. */
export interface Viewer {
  accountId: string;
  actor: string;
  isOperator: boolean;
}

export type Refunds = ReturnType<typeof createRefunds>;

/** Refunds of parts of payments, before and after shipping (contract 4.18). */
export function createRefunds({
  transactionOf,
  repository,
  payments: owners,
  orders,
  recordLook,
  clock,
}: Dependencies) {
  async function replay(actor: string, key: string, hash: string): Promise<Refund | undefined> {
    const first = await repository.ofKey(actor, key);
    if (first === undefined) return undefined;
    if (first.hash !== hash) {
      throw new DomainError('ruleBroken', 'This Idempotency-Key was used for another request.', {
        code: 'idempotency-key-reused',
      });
    }
    return { ...first, state: 'PENDING', failure: null, updatedAt: first.createdAt };
  }

  /** @throws DomainError notFound */
  async function visibleTo({ accountId, actor, isOperator }: Viewer, orderId: string): Promise<Refund[]> {
    const customerId = await owners.customerOf(orderId);
    if (customerId === undefined || !(isOperator || customerId === accountId)) throw noPayment(orderId);
    if (isOperator) await recordLook(actor, orderId, 'order');
    return repository.ofOrder(orderId);
  }

  return {
    /**
     * Makes one refund for all requests with the same key. The provider is asked after the commit.
     * @param actor as the audit trail names who makes it; the key is theirs
     * @returns the refund as it was made
     * @throws DomainError notFound, invalid, conflict, ruleBroken for a key of another request, unavailable
     */
    async make(
      actor: string,
      orderId: string,
      { lines, amount, reason }: RefundIn,
      key: string,
    ): Promise<{ refund: RefundRecordOut; isReplayed: boolean }> {
      const merged = lines && mergeRefundLines(lines);
      const hash = requestHash([orderId, lines, amount, reason]);
      const first = await replay(actor, key, hash);
      if (first !== undefined) return { refund: toRefundRecord(first), isReplayed: true };
      if ((await owners.customerOf(orderId)) === undefined) throw noPayment(orderId);
      const ordered = merged && found(await orders.lines(orderId), `order ${orderId}`);

      const made = await transactionOf(actor, async (tx) => {
        // Only lines depend on earlier refunds. Of amounts the CHECK decides, and so the row is locked for no longer than that takes.
        const payments = paymentsOn(tx);
        const payment = merged ? (await payments.lock([orderId]))[0] : await payments.read(orderId);
        if (payment === undefined) throw noPayment(orderId);
        if (!isPaid(payment)) throw notPaid();
        // The previous release left no trace of its refunds but the status.
        if (payment.status === 'REFUNDED' && payment.remainder === null) throw exceeds();
        const refunds = refundsOn(tx);
        const returns = { payment, ...(await refunds.ofOrders([orderId])) };
        if (returns.refunds.length >= maxRefunds) throw tooMany();
        const now = clock();
        const { customerId, paymentId } = payment;
        const refund: Refund = {
          id: randomUUID(),
          orderId,
          customerId,
          source: 'operator',
          state: 'PENDING',
          amount: merged && ordered ? priceRefund(merged, ordered, returns) : unitsOf(amount, payment),
          currency: payment.amount.currency,
          lines: merged ?? null,
          reason,
          actor,
          failure: null,
          providerRef: null,
          createdAt: now,
          updatedAt: now,
        };
        const isFirst = (await refunds.insert([refund], { key, hash })).has(refund.id);
        if (!isFirst) return undefined;
        const { id } = refund;
        const money = fromMinorUnits(refund.amount, refund.currency);
        const { traceparent } = currentTrace() ?? traceFrom(undefined);
        stepsOn(tx).addRefunds([{ id, orderId, customerId, paymentId, amount: money, traceparent }]);
        const after = stringifyJson({ refund: id, ...money, ...(merged && { lines: merged }), reason });
        recordChange(tx, { actor, kind: 'refund', subject: orderId, after });
        await payments.reserve(orderId, refund.amount);
        wakeOutgoing(tx, queueName);
        return refund;
      }).catch((error: unknown) => {
        throw isRefusedBy(capCheck, error) ? exceeds(error) : error;
      });
      if (made !== undefined) return { refund: toRefundRecord(made), isReplayed: false };
      // Another request with the key was stored meanwhile.
      return { refund: toRefundRecord(found(await replay(actor, key, hash), 'refund')), isReplayed: true };
    },

    /** The refunds of an order, oldest first. @throws DomainError notFound */
    async list(viewer: Viewer, orderId: string): Promise<RefundOut[]> {
      return (await visibleTo(viewer, orderId)).map((refund) => toRefundOut(refund, viewer));
    },

    /** @throws DomainError notFound */
    async get(viewer: Viewer, orderId: string, refundId: string): Promise<RefundOut> {
      const refund = (await visibleTo(viewer, orderId)).find(({ id }) => id === refundId);
      return toRefundOut(found(refund, `refund ${refundId}`), viewer);
    },

    /** What operators see of an order. */
    async record(orderId: string): Promise<{ refunds: RefundRecordOut[]; disputes: DisputeRecordOut[] }> {
      const [refunds, disputes] = [await repository.ofOrder(orderId), await repository.disputesOfOrder(orderId)];
      return { refunds: refunds.map(toRefundRecord), disputes: disputes.map(toDisputeRecord) };
    },
  };
}

/** @throws DomainError invalid for another currency than the payment's, or a part of its minor unit */
function unitsOf(money: RefundIn['amount'], payment: PaidPayment): bigint {
  const { amount, currency } = found(money, 'amount');
  const own = payment.amount.currency;
  if (currency !== own) throw invalidFields({ path: 'body.amount.currency', message: `must be ${own}` });
  const digits = minorUnit(own);
  if (amount.decimalPlaces() > digits)
    throw invalidFields({
      path: 'body.amount.amount',
      message: `must have at most ${digits} decimal places in ${own}`,
    });
  return toMinorUnits({ amount, currency });
}

const noPayment = (orderId: string) => new DomainError('notFound', `There is no payment of order ${orderId}.`);

const notPaid = () =>
  new DomainError('conflict', 'The order is not paid, so there is nothing to refund.', { code: 'order-not-paid' });

const tooMany = () => new DomainError('conflict', `The order has ${maxRefunds} refunds, which is the maximum.`);

const exceeds = (cause?: unknown) =>
  new DomainError('conflict', 'The refund exceeds what is left of the payment.', {
    code: 'refund-exceeds-payment',
    cause,
  });

const toRefundOut = (refund: Refund, { isOperator }: Viewer): RefundOut => {
  const { source, reason, actor, failure, ...own } = toRefundRecord(refund);
  return isOperator ? { ...own, source, reason, actor, failure } : own;
};

const toRefundRecord = ({ amount, currency, createdAt, updatedAt, ...refund }: Refund): RefundRecordOut => ({
  id: refund.id,
  orderId: refund.orderId,
  amount: fromMinorUnits(amount, currency),
  state: refund.state,
  lines: refund.lines,
  createdAt: createdAt.toISOString(),
  updatedAt: updatedAt.toISOString(),
  source: refund.source,
  reason: refund.reason,
  actor: refund.actor,
  failure: refund.failure,
});

const toDisputeRecord = ({ id, orderId, providerRef, amount, currency, ...dispute }: Dispute): DisputeRecordOut => ({
  id,
  orderId,
  providerRef,
  amount: fromMinorUnits(amount, currency),
  state: dispute.state,
  createdAt: dispute.createdAt.toISOString(),
  updatedAt: dispute.updatedAt.toISOString(),
});
