import type { TransactionOf } from '@store/shared/database/transaction';
import { newEvent, type StoredEvent } from '@store/shared/messaging/events';
import { appendToOutbox } from '@store/shared/messaging/outbox/append';
import type { Logger } from '@store/shared/observability/log';
import { currentTrace, inSpan, runInTrace, type Trace, traceFrom } from '@store/shared/observability/trace-context';
import { type Ended, type Next, type Queue, wakeOutgoing } from '@store/shared/outgoing/outgoing';
import { unreachable } from '@store/shared/values/errors';
import { Decimal } from '@store/shared/values/money';
import { nameUuid } from '@store/shared/values/name-uuid';
import { backoff, dayMs } from '@store/shared/values/time';
import type { ChargeResult, RefundResult, Result } from './ask-provider.ts';
import { bookChanges } from './books/changes.ts';
import type { PrismaClient } from './generated/client.ts';
import type { Payment } from './payment.ts';
import { type Cancellation, type LockedPayment, type PaymentChange, paymentsOn } from './payment-repository.ts';
import { outsideRefundId } from './refund.ts';
import { type OpenReturns, openReturns } from './returns.ts';
import { queueName, type Step, type StepChange, stepsOn, stepTable } from './step-repository.ts';

/** The events that announce a result belong to the trace of the call. */
type Answer = Result & { trace: Trace };

const pauses = { firstMs: 500, maxMs: 60_000 };

interface Dependencies {
  ask(step: Step): Promise<Result>;
  clock: () => Date;
}

/**
 * Carries out payment_steps, and stores what became of them together with the event that announces it (contract 6.1). Where that is not
 * known, it is read until it is (decision 40).
 */
export const providerCalls = ({ ask, clock }: Dependencies): Queue<PrismaClient, Step, Answer> => ({
  name: queueName,
  ...stepTable,
  perLane: 50,
  callMs: 30_000,
  make: (step) =>
    inSpan({ name: step.lane, kind: 'internal', parent: step.traceparent }, async () => ({
      ...(await ask(step)),
      trace: currentTrace() ?? traceFrom(step.traceparent),
    })),

  async settle(tx, ended, log) {
    const payments = await paymentsOn(tx).lock(ended.map(({ call }) => call.orderId));
    const locked = new Map(payments.map((payment) => [payment.orderId, payment]));
    const now = clock();
    const settled = ended.map((one) => {
      if ('error' in one) return postponed(one, log);
      const { trace } = one.outcome;
      return { ...runInTrace(trace, () => settle(one.call, one.outcome, locked.get(one.call.orderId), now)), trace };
    });
    await storeSettled(tx, settled, locked, now);
    const changedSteps = ended.flatMap(({ call }, index) => changeOf(call, settled[index] ?? nothing));
    if (changedSteps.length > 0) stepsOn(tx).change(changedSteps);
    return settled.map(({ next }) => next);
  },
});

/** Stores what follows for locked payments. */
export async function storeSettled(
  tx: TransactionOf<PrismaClient>,
  settled: Settled[],
  locked: ReadonlyMap<string, LockedPayment>,
  now: Date,
): Promise<void> {
  const payments = paymentsOn(tx);
  const steps = stepsOn(tx);
  const all = <Key extends keyof Settled>(key: Key) =>
    settled.map((one) => one[key]).filter((value) => value !== undefined) as NonNullable<Settled[Key]>[];
  const [changes, voided, late] = [all('change'), all('void'), all('late')];
  if (changes.length > 0) {
    payments.update(changes, now);
    bookChanges(tx, changes, locked, now);
  }
  if (voided.length > 0) payments.void(voided, now);
  if (late.length > 0) {
    payments.payLate(late, now);
    const charged = late.map(({ payment }) => ({ orderId: payment.orderId, status: 'PAID' as const }));
    bookChanges(tx, charged, new Map(late.map(({ payment }) => [payment.orderId, payment])), now);
  }
  const events = settled.flatMap((one) => one.events);
  if (events.length > 0) appendToOutbox(tx, ...events);
  await storeReturns(tx, settled, now);
  const actions = all('action');
  const told = actions.length > 0 ? new Set(await payments.setActions(actions)) : new Set();
  if (told.size > 0) steps.addTellings(actions.filter(({ orderId }) => told.has(orderId)));
  const returned = settled.flatMap((one) => one.returned ?? []);
  if (returned.length > 0) steps.checkRefunds(returned);
  if (told.size + returned.length > 0) wakeOutgoing(tx, queueName);
}

/** Stores what went back, or has to, once what was charged is stored. */
async function storeReturns(tx: TransactionOf<PrismaClient>, settled: Settled[], now: Date): Promise<void> {
  const concerned = settled.flatMap(({ returning, trace }) =>
    returning === undefined ? [] : [{ ...returning, trace }],
  );
  if (concerned.length === 0) return;
  // Again, because charges have changed some.
  const payments = await paymentsOn(tx).lock([...new Set(concerned.map(({ orderId }) => orderId))]);
  const returns = await openReturns(tx, payments, now);
  for (const { change, trace } of concerned) {
    if (trace === undefined) change(returns);
    else runInTrace(trace, () => change(returns));
  }
  await returns.store();
}

/** The payment's id in events, the same at every provider. */
const paymentIdOf = (orderId: string): string => nameUuid(`payment of order ${orderId}`);

/** What an answer means for a payment. */
export interface Settled {
  next: Next;
  events: StoredEvent[];
  change?: PaymentChange;
  void?: Cancellation;
  /** Money that was taken although the payment was over. */
  late?: { orderId: string; paymentId: string; amount: string; currency: string; payment: LockedPayment };
  /** What went back, or has to. */
  returning?: { orderId: string; change: (returns: OpenReturns) => void };
  action?: { orderId: string; url: string; traceparent: string };
  renewsKey?: boolean;
  /** Steps of refunds about which the provider knows more than that they are pending. */
  returned?: string[];
  /** The events that announce it belong to this trace; default: the present one. */
  trace?: Trace;
}

const nothing: Settled = { next: 'done', events: [] };
/** The reason of a refund of what was paid after the payment had failed. */
const paidTooLate = 'it was paid too late';

/** A step that is not settled within a day is OPEN. A charge that was asked once waits in a lane of its own. */
function changeOf(step: Step, { next, renewsKey = false }: Settled): StepChange[] {
  const { id } = step;
  const lane = step.lane === 'charge' ? 'check' : undefined;
  if (next === 'done') return step.isOpen ? [{ id, isOpen: false }] : [];
  const isOpen = isOverdue(step) && step.lane !== 'tell';
  if (lane === undefined && isOpen === step.isOpen && !renewsKey) return [];
  return [{ id, isOpen, renewsKey, ...(lane && { lane }) }];
}

/** Nothing becomes FAILED because time has passed. */
const isOverdue = ({ ageSeconds }: Step): boolean => ageSeconds * 1000 > dayMs;

/** The longer something is unsettled, the more seldom it is read: after an hour, every 15 minutes. */
function readAgain({ ageSeconds }: Pick<Step, 'ageSeconds'>): Next {
  const pauseMs = Math.min(Math.max(ageSeconds * 250, 5_000), 900_000);
  return { againInMs: pauseMs * (1 - Math.random() / 4) };
}

function postponed({ call, error }: Extract<Ended<Step, Answer>, { error: unknown }>, log: Logger): Settled {
  const { id, orderId, lane, attempts } = call;
  const next = isOverdue(call) ? readAgain(call) : { againInMs: backoff(attempts, pauses) };
  const fields = { err: error, stepId: id, orderId, lane, attempts, next };
  log.warn(fields, 'What became of a call of the payment provider is unknown, and is read');
  return { ...nothing, next };
}

function settle(step: Step, answer: Answer, payment: LockedPayment | undefined, now: Date): Settled {
  if (payment === undefined || 'told' in answer) return nothing;
  if ('needsKey' in answer) return { ...nothing, next: readAgain(step), renewsKey: true };
  if ('refunded' in answer) return settleRefund(step, answer.refunded);
  return payment.status === 'CHARGING'
    ? settleCharge(step, answer.charge, payment, now)
    : settleAgain(step, answer.charge, payment, now);
}

/** Also what an operator has found out about a charge. */
export function settleCharge(
  step: Pick<Step, 'traceparent' | 'ageSeconds'>,
  result: ChargeResult,
  payment: Extract<LockedPayment, { status: 'CHARGING' | 'FAILED' }>,
  now: Date,
): Settled {
  const { orderId, amount, taxes, cancelReason } = payment;
  const fail = (reason: string): Settled => ({
    next: 'done',
    change: { orderId, status: 'FAILED', reason },
    events: [newEvent('PaymentFailed', { ...about(payment, now), reason })],
  });
  const { state } = result;
  switch (state) {
    case 'captured': {
      const paymentId = paymentIdOf(orderId);
      const { intent, provider } = result;
      const chargedBy = provider === 'built-in' ? undefined : { provider, intentId: intent?.id };
      const paid: Settled = {
        next: 'done',
        change: { orderId, status: 'PAID', paymentId, ...chargedBy },
        events: [newEvent('OrderPaid', { ...about(payment, now), paymentId, amount, taxes })],
      };
      if (cancelReason === null) return paid;
      // Its order was cancelled while the provider was asked.
      const { traceparent } = step;
      return { ...paid, returning: { orderId, change: ({ cancel }) => cancel(orderId, cancelReason, traceparent) } };
    }
    case 'declined':
      return fail(result.reason);
    case 'cancelled':
      if (cancelReason !== null) return { ...nothing, void: { orderId, reason: cancelReason } };
      return fail(result.intent?.reason ?? 'the payment was cancelled at the provider');
    case 'action':
    case 'processing': {
      if (cancelReason !== null) return { ...nothing, next: { againInMs: 0 } };
      const waits = { ...nothing, next: readAgain(step) };
      if (state === 'processing') return waits;
      return { ...waits, action: { orderId, url: result.actionUrl, traceparent: step.traceparent } };
    }
    default:
      return unreachable(state);
  }
}

/** What was read about a payment that was settled before: it may have been refunded or disputed at the provider. */
function settleAgain(step: Step, { state, intent }: ChargeResult, payment: LockedPayment, now: Date): Settled {
  if (state !== 'captured' || intent === undefined) return nothing;
  const { orderId, status, taxes, cancelReason } = payment;
  const { traceparent } = step;
  switch (status) {
    case 'PAID':
    case 'REFUNDED':
      return {
        ...nothing,
        returning: { orderId, change: ({ recordOutside }) => recordOutside(orderId, intent, traceparent) },
        returned: intent.refunds.flatMap(({ stepId, id, state }) =>
          state === 'pending' ? [] : (stepId ?? outsideRefundId(id)),
        ),
      };
    case 'FAILED':
    case 'CANCELLED': {
      // The provider has taken money after it had said that it would not, or after an operator had settled that it did not.
      const { amount, currency } = step;
      const money = { amount: new Decimal(amount), currency };
      const paymentId = paymentIdOf(orderId);
      const reason = cancelReason ?? paidTooLate;
      return {
        ...nothing,
        late: { orderId, paymentId, amount, currency, payment: { ...payment, status: 'FAILED', amount: money } },
        events: [newEvent('OrderPaid', { ...about(payment, now), paymentId, amount: money, taxes })],
        returning: { orderId, change: ({ cancel }) => cancel(orderId, reason, traceparent) },
      };
    }
    case 'CHARGING':
      return nothing;
    default:
      return unreachable(status);
  }
}

/** Also what an operator has found out about a refund. */
export function settleRefund(
  { orderId, traceparent, ageSeconds }: Pick<Step, 'orderId' | 'traceparent' | 'ageSeconds'>,
  { refund, intent }: RefundResult,
): Settled {
  return {
    ...nothing,
    next: refund.state === 'pending' ? readAgain({ ageSeconds }) : 'done',
    returning: {
      orderId,
      change({ settle, recordOutside }) {
        settle(orderId, refund, traceparent);
        if (intent !== undefined) recordOutside(orderId, intent, traceparent);
      },
    },
  };
}

const about = ({ orderId, customerId }: Payment, now: Date) => ({ orderId, customerId, timestamp: now.toISOString() });
