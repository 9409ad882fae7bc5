import { setTimeout as wait } from 'node:timers/promises';
import { Decimal } from '@store/shared/values/money';
import { storedEvent } from '../../kit/kafka/order-events.ts';
import { tokens } from '../../kit/payments/stripe-account.ts';
import type { FaultPlan } from '../../kit/payments/stripe-faults.ts';
import type { Random } from '../../kit/random.ts';
import { until } from '../../kit/until.ts';
import { type Recorded, violationsOf } from './_properties.ts';
import type { Story } from './_stories.ts';
import { type Payments, persist } from './_surroundings.ts';

const digits = { USD: 2, JPY: 0, KWD: 3 };
const items = [{ productId: '00000000-0000-4000-8000-0000000007ea', quantity: 1 }];

/** Orders whose payment is under way at once. */
const atOnce = 40;
const patience = { timeoutMs: 240_000, intervalMs: 50 };

export interface Round {
  violations: string[];
  /** Orders with a step that an operator has to settle, although the provider could. */
  open: string[];
  outcomes: Record<string, number>;
}

/**
 * Tells the stories, waits until nothing is in flight, and compares the store with the provider's books.
 * @param disturb runs meanwhile, such as kills; its promise ends once everything runs again
 */
export async function tellRound(
  payments: Payments,
  stories: Story[],
  random: Random,
  disturb: (isOver: () => boolean) => Promise<unknown>,
): Promise<Round> {
  const { provider, publish } = payments;
  const { account } = provider;
  const byOrder = new Map(stories.map((story) => [story.orderId, story]));
  const sent: string[] = [];
  const cancelled = new Set<string>();
  let recorded = new Map<string, Recorded>();
  let isOver = false;

  provider.meet(faultsOf(byOrder, random));
  const failedOnce = new Set<string>();
  provider.refundsEnd((orderId) => {
    const mode = byOrder.get(orderId)?.refunds ?? 'at once';
    return mode === 'at once' || failedOnce.has(orderId) ? 'at once' : 'later';
  });
  provider.callbacks.sendTo({
    ...payments.callbacks,
    deliveryOf({ data: { object } }) {
      const { id, payment_intent = id } = object as { id?: string; payment_intent?: string };
      const sent = byOrder.get(account.orderOf(payment_intent ?? '') ?? '')?.callbacks ?? 'late';
      return sent === 'late' ? { sent, ms: random(2_000) } : { sent };
    },
  });
  let forgeriesAccepted = 0;
  const follow = (async () => {
    while (!isOver) {
      recorded = await payments.recorded().catch(() => recorded);
      settleRefunds();
      await wait(200);
    }
  })();

  /** The customers' banks decide about refunds. */
  function settleRefunds(): void {
    for (const { id, status, payment_intent } of account.refundsOf()) {
      if (status !== 'pending') continue;
      const orderId = account.orderOf(payment_intent) ?? '';
      const fails = byOrder.get(orderId)?.refunds === 'failing once' && !failedOnce.has(orderId);
      if (fails) failedOnce.add(orderId);
      account.settleRefund(id, fails ? 'failed' : 'succeeded');
    }
  }

  const kindsOf = (orderId: string) => recorded.get(orderId)?.events ?? [];
  const isDecided = (orderId: string) =>
    kindsOf(orderId).some((kind) => kind === 'OrderPaid' || kind === 'PaymentFailed') ||
    recorded.get(orderId)?.status === 'CANCELLED' ||
    recorded.get(orderId)?.isOpen === true;

  async function publishOf(kind: 'StockReserved' | 'OrderCancelled', { orderId, customerId, amount, currency }: Story) {
    const total = { amount: new Decimal(amount).div(10 ** digits[currency]), currency };
    const event =
      kind === 'StockReserved'
        ? storedEvent(kind, { orderId, customerId, items, total })
        : storedEvent(kind, { orderId, customerId, reason: 'cancelled by the customer' });
    if (kind === 'OrderCancelled') {
      cancelled.add(orderId);
      payments.tokens.delete(orderId);
    }
    sent.push(event.id);
    await publish(event);
  }

  /** The customer finishes an action, or the bank decides. */
  async function decide({ orderId, ends }: Story): Promise<void> {
    for (const id of account.intentsOf(orderId)) {
      await account.act(id, ends === 'well');
      await account.decide(id, ends === 'well');
    }
  }

  /** Somebody who knows an intent says that it is paid. */
  async function forge({ orderId }: Story): Promise<void> {
    for (const id of account.intentsOf(orderId)) {
      const object = { id, object: 'payment_intent', status: 'succeeded', metadata: { orderId } };
      const event = { id: 'evt_forged', object: 'event', type: 'payment_intent.succeeded', data: { object } };
      const status = await provider.callbacks.forge(event);
      if (status >= 200 && status < 300) forgeriesAccepted += 1;
    }
  }

  async function actOutside({ orderId, outside, amount }: Story): Promise<void> {
    for (const id of account.intentsOf(orderId)) {
      try {
        if (outside === 'part refunded') await account.refund(id, Math.ceil(amount / 3), {});
        else if (outside === 'all refunded') await account.refund(id, undefined, {});
        else if (outside !== 'nothing') {
          const disputeId = await account.dispute(id);
          if (disputeId === undefined || outside === 'disputed') continue;
          await wait(random(1_000));
          account.closeDispute(disputeId, outside === 'disputed and won' ? 'won' : 'lost');
        }
      } catch {
        // It is refunded or disputed already, or was never charged.
      }
    }
  }

  async function tell(story: Story): Promise<void> {
    const { orderId } = story;
    payments.tokens.set(orderId, tokens[story.token]);
    await publishOf('StockReserved', story);
    if (story.cancelled === 'at once') await publishOf('OrderCancelled', story);
    await wait(story.afterMs);
    await forge(story);
    if (story.cancelled === 'soon') await publishOf('OrderCancelled', story);
    // A customer who never acts: the order's time is up. A bank that never decides is told to in the end.
    const isEndless = story.ends === 'never' && (story.token === 'action' || story.token === 'undecided');
    if (isEndless && !cancelled.has(orderId)) {
      await wait(500);
      await publishOf('OrderCancelled', story);
    }
    const isLate = isEndless && story.token === 'undecided';
    await until(
      () => `the payment of order ${orderId} is decided: ${JSON.stringify({ story, recorded: recorded.get(orderId) })}`,
      async () => {
        if (!isEndless || (isLate && cancelled.has(orderId))) await decide(story);
        return isDecided(orderId);
      },
      patience,
    );
    const isPaid = kindsOf(orderId).includes('OrderPaid');
    if (isPaid && story.outsideFirst) await actOutside(story);
    if (story.cancelled === 'when paid' && !cancelled.has(orderId)) await publishOf('OrderCancelled', story);
    if (isPaid && !story.outsideFirst) await actOutside(story);
  }

  const disturbing = disturb(() => isOver);
  disturbing.catch(() => undefined);
  const waiting = [...stories];
  const all = await Promise.allSettled(
    Array.from({ length: atOnce }, async () => {
      for (let story = waiting.shift(); story !== undefined; story = waiting.shift()) await tell(story);
    }),
  );
  isOver = true;
  await follow;
  await disturbing;
  const violations = all.flatMap((one) => (one.status === 'rejected' ? [String(one.reason.message)] : []));
  if (forgeriesAccepted > 0) violations.push(`${forgeriesAccepted} forged callbacks were accepted`);

  // Nothing goes wrong any more, and everything comes to its end.
  provider.meet(() => undefined);
  await until(
    () => 'every event is handled',
    async () => (await payments.unhandled(sent)).length === 0,
    { timeoutMs: 120_000 },
  );
  let due: unknown[] = [];
  /** Waits until nothing is in flight but what nobody can settle. */
  const quiesce = (mayWait: (orderId: string) => boolean) =>
    until(
      () => `no step is due, and every event is published: ${JSON.stringify(due.slice(0, 5))}`,
      async () => {
        settleRefunds();
        // Also customers whose orders are over by now.
        for (const story of stories) if (story.token === 'undecided' || story.ends === 'well') await decide(story);
        await payments.endLeases();
        await wait(500);
        const steps = await payments.stepsInFlight();
        due = [
          ...steps.filter(({ lane, order_id }) => lane !== 'refund' || !mayWait(order_id)),
          ...(await payments.unpublished()),
        ];
        return due.length === 0;
      },
      { timeoutMs: 120_000, intervalMs: 500 },
    );
  try {
    await quiesce((orderId) => needsOperator(byOrder.get(orderId), cancelled));
    if ((await payments.stepsInFlight()).length > 0) {
      provider.advance(25 * 3_600_000);
      await payments.passDay();
      await quiesce(() => false);
    }
  } catch (error) {
    violations.push(String(error));
  }

  recorded = await persist(() => payments.recorded());
  const books = await account.books();
  const outcomes: Record<string, number> = {};
  const open: string[] = [];
  for (const story of stories) {
    const { orderId } = story;
    const one = recorded.get(orderId) ?? { status: undefined, events: [], isOpen: false };
    if (one.isOpen && !needsOperator(story, cancelled)) open.push(orderId);
    const name = one.isOpen ? 'OPEN' : String(one.status);
    outcomes[name] = (outcomes[name] ?? 0) + 1;
    const excesses = account.excesses.filter((excess) => excess.orderId === orderId).map(({ amount }) => amount);
    const isCancelled = cancelled.has(orderId);
    violations.push(...violationsOf({ story, isCancelled, recorded: one, book: books.get(orderId), excesses }));
  }
  return { violations, open, outcomes };
}

/** Whether a bank keeps the store from returning the money of a cancelled order. */
const needsOperator = (story: Story | undefined, cancelled: Set<string>) =>
  story !== undefined &&
  cancelled.has(story.orderId) &&
  (story.refunds === 'failing once' || story.outside !== 'nothing');

/** The faults of the stories, and one in twenty of other requests. */
function faultsOf(byOrder: Map<string, Story>, random: Random): FaultPlan {
  const met = new Map<string, number>();
  return ({ operation, orderId }) => {
    if (orderId === undefined) return random(20) === 0 ? { kind: 'list changes' } : undefined;
    const name = `${operation} ${orderId}`;
    const count = met.get(name) ?? 0;
    met.set(name, count + 1);
    return byOrder.get(orderId)?.faults[operation]?.[count];
  };
}
