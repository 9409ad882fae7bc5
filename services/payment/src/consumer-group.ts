import type { Transaction, TransactionOf } from '@store/shared/database/transaction';
import type { ConsumerGroup, DeliveredEvent } from '@store/shared/messaging/consumer/group';
import { runInTrace } from '@store/shared/observability/trace-context';
import { type Outgoing, wakeOutgoing } from '@store/shared/outgoing/outgoing';
import { found, unreachable } from '@store/shared/values/errors';
import { bookOn } from './books/entry-repository.ts';
import type { PrismaClient } from './generated/client.ts';
import { type Cancellation, paymentsOn } from './payment-repository.ts';
import { refundsOn } from './refund-repository.ts';
import { openReturns } from './returns.ts';
import { chargeId, type NewCharge, queueName, type Step, stepsOn } from './step-repository.ts';

const kinds = ['StockReserved', 'OrderCancelled', 'OrderShipped'] as const;
type Kind = (typeof kinds)[number];
type Calls = Pick<Outgoing<Step>, 'take' | 'makeAfterCommit'>;

/**
 * Payment's steps of the saga (contract 6.1). The handler only decides what the provider is to be asked, and writes it as a step in
 * the transaction of the event: however long the provider takes, later events do not wait (provider-calls.ts).
 */
export const createConsumerGroup = (calls: Calls, clock: () => Date): ConsumerGroup<PrismaClient, undefined, Kind> => ({
  name: 'payment-group',
  kinds,
  chunkSize: 100,
  async handle(events, tx) {
    await begin(tx, events, calls, clock());
    await cancel(tx, events, clock());
    ship(tx, events);
  },
  accounts: {
    kinds: ['AccountDeleted'],
    handle: (events, tx) => refundsOn(tx).forgetReasons(events.map(({ payload }) => payload.accountId)),
  },
});

/** Stores a payment as CHARGING, with its step, for each order that has none. */
async function begin(tx: Transaction, events: DeliveredEvent<Kind>[], calls: Calls, now: Date): Promise<void> {
  const starts = events.flatMap(({ event: { kind, payload }, trace: { traceparent } }) => {
    if (kind !== 'StockReserved') return [];
    const { orderId, customerId, total, taxes, hasToken = false } = payload;
    return [{ orderId, customerId, amount: total, taxes, hasToken, traceparent }];
  });
  if (starts.length === 0) return;
  paymentsOn(tx).insertCharging(starts, now);
  // Also for a payment that is there: the previous release stored it, and may have ended before it was charged.
  const taken = calls.take('charge', starts.length);
  const added = await stepsOn(tx).addCharges(starts, taken);
  if (taken === undefined) wakeOutgoing(tx, queueName);
  else calls.makeAfterCommit(tx, added);
}

/**
 * Voids charges that nobody has asked the provider for, has what was taken refunded, and notes the cancellation of a charge whose
 * outcome is not known yet: once it is, what was taken is refunded.
 */
async function cancel(tx: TransactionOf<PrismaClient>, events: DeliveredEvent<Kind>[], now: Date): Promise<void> {
  const cancellations = events.flatMap(({ event: { kind, payload }, trace }) => {
    if (kind !== 'OrderCancelled') return [];
    const { orderId, customerId, reason } = payload;
    return [{ orderId, customerId, reason, trace }];
  });
  if (cancellations.length === 0) return;
  const payments = paymentsOn(tx);
  const steps = stepsOn(tx);
  // An order that is cancelled before its payment begins is never charged.
  const stored = new Set(await payments.insertCancelled(cancellations, now));
  const known = new Map(cancellations.filter(({ orderId }) => !stored.has(orderId)).map((one) => [one.orderId, one]));
  if (known.size === 0) return;

  const ids = [...known.keys()];
  // Steps before payments, as when the outcome of a call is stored.
  const charges = await steps.lockCharges(ids);
  const noted: Cancellation[] = [];
  const unsettled: string[] = [];
  const voided: Cancellation[] = [];
  const uncharged: NewCharge[] = [];
  const paid: string[] = [];
  const locked = await payments.lock(ids);
  for (const payment of locked) {
    const { orderId } = payment;
    const { reason, trace } = found(known.get(orderId), `cancellation of ${orderId}`);
    const charge = charges.get(orderId);
    switch (payment.status) {
      case 'CHARGING':
        if (charge?.attempts === 0) voided.push({ orderId, reason });
        else {
          noted.push({ orderId, reason });
          unsettled.push(orderId);
        }
        // The previous release has begun it, and did not get to its end.
        if (charge === undefined) uncharged.push({ orderId, hasToken: false, traceparent: trace.traceparent });
        break;
      case 'PAID':
        noted.push({ orderId, reason });
        paid.push(orderId);
        break;
      case 'FAILED':
      case 'REFUNDED':
      case 'CANCELLED':
        break;
      default:
        unreachable(payment);
    }
  }
  if (voided.length > 0) {
    payments.void(voided, now);
    steps.drop(voided.map(({ orderId }) => chargeId(orderId)));
  }
  if (noted.length > 0) {
    payments.noteCancelled(noted);
    // An action that waits for its customer ends now.
    if (unsettled.length > 0) steps.check(unsettled, { settled: false });
  }
  if (uncharged.length > 0) await steps.addCharges(uncharged);
  if (noted.length > 0) wakeOutgoing(tx, queueName);
  if (paid.length === 0) return;
  const returns = await openReturns(
    tx,
    locked.filter(({ orderId }) => paid.includes(orderId)),
    now,
  );
  for (const orderId of paid) {
    const { reason, trace } = found(known.get(orderId), `cancellation of ${orderId}`);
    runInTrace(trace, () => returns.cancel(orderId, reason, trace.traceparent));
  }
  await returns.store();
}

/** Books that orders were shipped; nothing else depends on it. */
function ship(tx: Transaction, events: DeliveredEvent<Kind>[]): void {
  const shipments = events.flatMap(({ event: { kind, payload } }) =>
    kind === 'OrderShipped' ? [{ orderId: payload.orderId, at: payload.timestamp }] : [],
  );
  if (shipments.length > 0) bookOn(tx).shipped(shipments);
}
