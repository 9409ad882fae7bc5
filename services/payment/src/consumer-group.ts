import type { ConsumerGroup, DeliveredEvent, NewEvent } from '@store/shared/messaging/consumer/group';
import {
  type EventKind,
  newEvent,
  type OrderEvent,
  type Payload,
  type StoredEvent,
} from '@store/shared/messaging/events';
import { appendToOutbox } from '@store/shared/messaging/outbox/append';
import { runInTrace } from '@store/shared/observability/trace-context';
import { DomainError } from '@store/shared/values/errors';
import type { PrismaClient } from './generated/client.ts';
import type { Payment } from './payment.ts';
import { type PaymentChange, type PaymentRepository, paymentsOn } from './payment-repository.ts';
import type { ChargeResult, PaymentProvider } from './provider.ts';

interface Dependencies {
  repository: PaymentRepository;
  provider: PaymentProvider;
  clock: () => Date;
}

/** The provider's answers, obtained before the transaction. */
export interface Answers {
  charge?: ChargeResult;
  isRefunded?: boolean;
}

const kinds = ['StockReserved', 'OrderCancelled'] as const;
type Kind = (typeof kinds)[number];

type Charging = Payment & { status: 'CHARGING' };

/**
 * Payment's steps of the saga (contract 6.1). The provider is called in `prepare`, outside any transaction; its answer is
 * stored together with the event that announces it. If the process ends in between, both steps are repeated with the same
 * outcome: the provider gives the same answer for the same order, and once the row is no longer CHARGING, the first
 * answer stands.
 */
export function createConsumerGroup({
  repository,
  provider,
  clock,
}: Dependencies): ConsumerGroup<PrismaClient, Answers, Kind> {
  /** Returns the payments of the events' orders. Stores a payment as CHARGING if StockReserved begins it. */
  async function openPayments(events: OrderEvent<Kind>[]): Promise<Map<string, Payment>> {
    const starts = events.flatMap(({ kind, payload }) => {
      if (kind !== 'StockReserved') return [];
      const { orderId, customerId, total } = payload;
      return [{ orderId, customerId, amount: total }];
    });
    const cancelled = events.filter(({ kind }) => kind === 'OrderCancelled').map(({ payload }) => payload.orderId);
    const payments = [
      ...(starts.length > 0 ? await repository.begin(starts, clock()) : []),
      ...(cancelled.length > 0 ? await repository.find(cancelled) : []),
    ];
    return byOrder(payments);
  }

  async function charge(payment: Payment | undefined): Promise<Answers> {
    return isCharging(payment) ? { charge: await provider.charge(payment) } : {};
  }

  async function refund(payment: Payment | undefined): Promise<Answers> {
    if (payment?.status === 'PAID') {
      await provider.refund(payment);
      return { isRefunded: true };
    }
    if (!isCharging(payment)) return {};
    // The outcome of an earlier charge is unknown. The provider repeats its answer, and a successful charge is refunded.
    const charge = await provider.charge(payment);
    if (charge.ok) await provider.refund({ ...payment, paymentId: charge.paymentId });
    return { charge, isRefunded: charge.ok };
  }

  const callFor: Record<Kind, typeof charge> = { StockReserved: charge, OrderCancelled: refund };

  /** Calls the provider for all events at once. Waits for every call before it throws a failure. */
  async function prepare(delivered: DeliveredEvent<Kind>[]): Promise<Answers[]> {
    const payments = await openPayments(delivered.map(({ event }) => event));
    const calls = await Promise.allSettled(
      delivered.map(({ event: { kind, payload }, trace }) => {
        return runInTrace(trace, () => callFor[kind](payments.get(payload.orderId)));
      }),
    );
    return calls.map((call) => {
      if (call.status === 'rejected') throw call.reason;
      return call.value;
    });
  }

  /**
   * Turns the provider's answers into changes of locked payments, and events.
   * @throws DomainError unavailable if a payment was changed after it was prepared
   */
  function decide(events: NewEvent<Answers, Kind>[], payments: Map<string, Payment>, now: Date) {
    const changes = new Map<string, PaymentChange>();
    const announced: StoredEvent[] = [];
    const timestamp = now.toISOString();
    const announce = <K extends EventKind>(kind: K, payload: Payload<K>) => announced.push(newEvent(kind, payload));

    function resolve(payment: Charging, result: ChargeResult): Payment {
      const { orderId, customerId, amount } = payment;
      const common = { orderId, customerId, timestamp };
      if (!result.ok) {
        const { reason } = result;
        changes.set(orderId, { orderId, status: 'FAILED', reason });
        announce('PaymentFailed', { ...common, reason });
        return { ...payment, status: 'FAILED' };
      }
      const { paymentId } = result;
      changes.set(orderId, { orderId, status: 'PAID', paymentId });
      announce('OrderPaid', { ...common, paymentId, amount });
      return { ...payment, status: 'PAID', paymentId };
    }

    function decideOne({ event: { kind, payload }, prepared: { charge, isRefunded } }: NewEvent<Answers, Kind>): void {
      const { orderId, customerId } = payload;
      let payment = payments.get(orderId);
      if (isCharging(payment)) {
        if (charge === undefined) throw changedMeanwhile(orderId);
        payment = resolve(payment, charge);
      }
      if (kind !== 'OrderCancelled' || payment?.status !== 'PAID') return;
      if (isRefunded !== true) throw changedMeanwhile(orderId);
      const { paymentId, amount } = payment;
      changes.set(orderId, { orderId, status: 'REFUNDED', paymentId, reason: payload.reason });
      announce('PaymentRefunded', { orderId, customerId, timestamp, paymentId, amount });
    }

    for (const one of events) runInTrace(one.trace, () => decideOne(one));
    return { changes: [...changes.values()], announced };
  }

  return {
    name: 'payment-group',
    kinds,
    chunkSize: 50, // provider calls that a chunk makes at once
    prepare,
    async handle(events, tx) {
      const on = paymentsOn(tx);
      const now = clock();
      const cancellations = events.flatMap(({ event: { kind, payload } }) =>
        kind === 'OrderCancelled' ? payload : [],
      );
      // An order that is cancelled before its payment begins is never charged.
      const stored = new Set(cancellations.length > 0 ? await on.insertCancelled(cancellations, now) : []);
      const known = events.filter(({ event }) => !stored.has(event.payload.orderId));
      if (known.length === 0) return;
      const payments = byOrder(await on.lock(known.map(({ event }) => event.payload.orderId)));
      const { changes, announced } = decide(known, payments, now);
      if (changes.length === 0) return;
      await on.update(changes, now);
      await appendToOutbox(tx, ...announced);
    },
  };
}

const byOrder = (payments: Payment[]) => new Map(payments.map((payment) => [payment.orderId, payment]));

const isCharging = (payment: Payment | undefined): payment is Charging => payment?.status === 'CHARGING';

/** The previous owner of the partition was still finishing. On retry, `prepare` sees what it stored. */
const changedMeanwhile = (orderId: string) =>
  new DomainError('unavailable', `The payment of order ${orderId} was changed while its refund was prepared.`);
