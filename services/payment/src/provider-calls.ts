import { newEvent, type StoredEvent } from '@store/shared/messaging/events';
import { appendToOutbox } from '@store/shared/messaging/outbox/append';
import type { Logger } from '@store/shared/observability/log';
import { currentTrace, inSpan, runInTrace, type Trace, traceFrom } from '@store/shared/observability/trace-context';
import { type Ended, type Next, type Queue, wakeOutgoing } from '@store/shared/outgoing/outgoing';
import { unreachable } from '@store/shared/values/errors';
import { Decimal, toMinorUnits } from '@store/shared/values/money';
import { nameUuid } from '@store/shared/values/name-uuid';
import { backoff } from '@store/shared/values/time';
import { bookChanges } from './books/changes.ts';
import type { PrismaClient } from './generated/client.ts';
import type { Payment } from './payment.ts';
import { type LockedPayment, type PaymentChange, paymentsOn } from './payment-repository.ts';
import type { Intent, PaymentProvider } from './providers/provider.ts';
import { type NewRefund, type Step, type StepKind, stepsOn, stepTable } from './step-repository.ts';

export const queueName = 'payment';

type Result = { charge: Intent } | { refunded: true };
/** The events that announce a result belong to the trace of the call. */
type Answer = Result & { trace: Trace };

const pauses = { firstMs: 500, maxMs: 60_000 };

interface Dependencies {
  provider: PaymentProvider;
  clock: () => Date;
}

/**
 * Asks the provider what payment_steps say, and stores its answer together with the event that announces it (contract 6.1). Where
 * the answer is not known, the same call is made again until it is: the provider moves money once for a key.
 */
export const providerCalls = ({ provider, clock }: Dependencies): Queue<PrismaClient, Step, Answer> => ({
  name: queueName,
  ...stepTable,
  perLane: 50,
  callMs: 30_000,
  make: (step) =>
    inSpan({ name: step.lane, kind: 'internal', parent: step.traceparent }, async () => ({
      ...(await ask(provider, step)),
      trace: currentTrace() ?? traceFrom(step.traceparent),
    })),

  async settle(tx, ended, log) {
    const payments = paymentsOn(tx);
    const locked = new Map(
      (await payments.lock(ended.map(({ call }) => call.orderId))).map((payment) => [payment.orderId, payment]),
    );
    const now = clock();
    const settled = ended.map((one) => {
      if ('error' in one) return postponed(one, log);
      return runInTrace(one.outcome.trace, () => settle(one.call, one.outcome, locked.get(one.call.orderId), now));
    });
    const changes = settled.flatMap(({ change }) => change ?? []);
    const announced = settled.flatMap(({ events }) => events);
    const refunds = settled.flatMap(({ refund }) => refund ?? []);
    if (changes.length > 0) {
      await payments.update(changes, now);
      await bookChanges(tx, changes, locked, now);
    }
    if (announced.length > 0) await appendToOutbox(tx, ...announced);
    if (refunds.length > 0) {
      await stepsOn(tx).addRefunds(refunds);
      wakeOutgoing(tx, queueName);
    }
    return settled.map(({ next }) => next);
  },
});

async function ask(provider: PaymentProvider, { lane, id, ...step }: Step): Promise<Result> {
  const { orderId, currency } = step;
  const amount = toMinorUnits({ amount: new Decimal(step.amount), currency });
  const order = { orderId, amount, currency };
  const kind = lane as StepKind; // checked by the database
  const intentId =
    'intentIdOf' in provider ? provider.intentIdOf(orderId) : (await provider.createIntent({ ...order, key: id })).id;
  switch (kind) {
    case 'charge':
      return { charge: await provider.confirm({ ...order, intentId, key: id, token: undefined, returnUrl: '' }) };
    case 'refund':
      await provider.refund({ key: id, stepId: id, intentId, amount, currency });
      return { refunded: true };
    default:
      return unreachable(kind);
  }
}

/** The payment's id in events, the same at every provider. */
const paymentIdOf = (orderId: string): string => nameUuid(`payment of order ${orderId}`);

/** What an answer means for a payment. */
interface Settled {
  next: Next;
  change?: PaymentChange;
  events: StoredEvent[];
  /** What is asked next. */
  refund?: NewRefund;
}

const nothing: Settled = { next: 'done', events: [] };

function postponed({ call, error }: Extract<Ended<Step, Answer>, { error: unknown }>, log: Logger): Settled {
  const { id, orderId, lane, attempts } = call;
  const againInMs = backoff(attempts, pauses);
  const fields = { err: error, stepId: id, orderId, lane, attempts, seconds: Math.ceil(againInMs / 1000) };
  log.warn(fields, 'The payment provider gave no answer and is asked again');
  return { ...nothing, next: { againInMs } };
}

function settle(step: Step, answer: Answer, payment: LockedPayment | undefined, now: Date): Settled {
  if (payment === undefined) return nothing;
  return 'charge' in answer ? settleCharge(step, answer.charge, payment, now) : settleRefund(payment, now);
}

function settleCharge(step: Step, intent: Intent, payment: LockedPayment, now: Date): Settled {
  if (payment.status !== 'CHARGING') return nothing;
  const { orderId, customerId, amount, taxes, cancelReason } = payment;
  if (intent.state !== 'captured') {
    const { reason = '' } = intent;
    const failed = newEvent('PaymentFailed', { ...about(payment, now), reason });
    return { next: 'done', change: { orderId, status: 'FAILED', reason }, events: [failed] };
  }
  const paymentId = paymentIdOf(orderId);
  const paid: Settled = {
    next: 'done',
    change: { orderId, status: 'PAID', paymentId },
    events: [newEvent('OrderPaid', { ...about(payment, now), paymentId, amount, taxes })],
  };
  if (cancelReason === null) return paid;
  // Its order was cancelled while the provider was asked.
  const { traceparent } = step;
  return { ...paid, refund: { orderId, customerId, paymentId, amount, traceparent } };
}

function settleRefund(payment: LockedPayment, now: Date): Settled {
  if (payment.status !== 'PAID') return nothing;
  const { orderId, paymentId, amount, cancelReason } = payment;
  return {
    next: 'done',
    change: { orderId, status: 'REFUNDED', ...(cancelReason !== null && { reason: cancelReason }) },
    events: [newEvent('PaymentRefunded', { ...about(payment, now), paymentId, amount })],
  };
}

const about = ({ orderId, customerId }: Payment, now: Date) => ({ orderId, customerId, timestamp: now.toISOString() });
