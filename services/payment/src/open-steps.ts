import type { SettlementIn } from '@store/shared/contracts/payment-step';
import { recordChange } from '@store/shared/database/audit';
import type { Database } from '@store/shared/database/database';
import type { Job } from '@store/shared/service/service';
import { DomainError, found, invalidFields } from '@store/shared/values/errors';
import { loop } from '@store/shared/values/loop';
import { Decimal, toMinorUnits } from '@store/shared/values/money';
import { Gauge, register } from 'prom-client';
import type { PrismaClient } from './generated/client.ts';
import { type LockedPayment, paymentsOn } from './payment-repository.ts';
import { type Settled, settleCharge, settleRefund, storeSettled } from './provider-calls.ts';
import type { PaymentProvider } from './providers/provider.ts';
import { isOfRefund, type Step, type StepRepository, stepsOn } from './step-repository.ts';

/** Registered only by processes that count, so that no other service reports 0. */
const openSteps = new Gauge({
  name: 'payment_steps_open',
  help: 'Charges and refunds of which it has not been known for a day what became of them.',
  registers: [],
});

/** Counts OPEN steps. The last count stays while the database does not answer, so that no alert ends early. */
export function countOpenSteps({ countOpen }: Pick<StepRepository, 'countOpen'>): Job {
  register.registerMetric(openSteps);
  return loop({ name: 'open steps', everyMs: 15_000 }, async () => openSteps.set(await countOpen()));
}

interface Dependencies {
  inTransaction: Database<PrismaClient>['inTransaction'];
  clock: () => Date;
  /** Asked about new charges. A charge of which it has no intent is not refunded elsewhere. */
  provider: Pick<PaymentProvider, 'name'>;
}

export type SettleOpen = ReturnType<typeof createSettleOpen>;

/**
 * Makes the function by which an operator settles an OPEN step with evidence, as if the provider had said so. Until then it may still be
 * settled by reading.
 */
export const createSettleOpen =
  ({ inTransaction, clock, provider }: Dependencies) =>
  /** @throws DomainError notFound, conflict if it is not OPEN, invalid for an outcome that a step of its kind cannot have */
  (actor: string, id: string, { outcome, evidence }: SettlementIn): Promise<void> =>
    inTransaction(async (tx) => {
      const steps = stepsOn(tx);
      const step = found(await steps.lockStep(id), `step ${id}`);
      if (step.openSince === null) throw new DomainError('conflict', 'The step is not open: it was settled.');
      const { orderId } = step;
      const [locked] = await paymentsOn(tx).lock([orderId]);
      const payment = found(locked, `payment of order ${orderId}`);
      const now = clock();
      await storeSettled(
        tx,
        [settledBy(step, outcome, payment, provider.name, now)],
        new Map([[orderId, payment]]),
        now,
      );
      steps.settle(id);
      const before = JSON.stringify({ openSince: step.openSince });
      const after = JSON.stringify({ step: id, outcome, evidence });
      recordChange(tx, { actor, kind: 'payment', subject: orderId, before, after });
    });

function settledBy(
  step: Step,
  outcome: SettlementIn['outcome'],
  payment: LockedPayment,
  provider: string,
  now: Date,
): Settled {
  const nothing: Settled = { next: 'done', events: [] };
  if (!isOfRefund(step)) {
    if (outcome === 'refunded') throw invalidFields({ path: 'body.outcome', message: 'must be paid or failed' });
    if (payment.status !== 'CHARGING') return nothing;
    if (outcome === 'paid') return settleCharge(step, { state: 'captured', provider }, payment, now);
    const failed = { state: 'declined', reason: 'the payment was not taken' } as const;
    return settleCharge(step, payment.cancelReason === null ? failed : { state: 'cancelled' }, payment, now);
  }
  if (outcome === 'paid') throw invalidFields({ path: 'body.outcome', message: 'must be refunded or failed' });
  const amount = toMinorUnits({ amount: new Decimal(step.amount), currency: step.currency });
  const state = outcome === 'refunded' ? 'succeeded' : 'failed';
  return settleRefund(step, { refund: { stepId: step.id, amount, state } });
}
