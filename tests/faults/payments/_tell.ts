import { randomUUID } from 'node:crypto';
import { setTimeout as wait } from 'node:timers/promises';
import type { StoredEvent } from '@store/shared/messaging/events';
import { stringifyJson } from '@store/shared/values/json';
import { Decimal } from '@store/shared/values/money';
import { storedEvent } from '../../kit/kafka/order-events.ts';
import { StripeError, tokens } from '../../kit/payments/stripe-account.ts';
import { type FaultPlan, noFaults } from '../../kit/payments/stripe-faults.ts';
import type { Random } from '../../kit/random.ts';
import { until } from '../../kit/until.ts';
import { type Recorded, type Told, violationsOf } from './_properties.ts';
import type { Act, Story } from './_stories.ts';
import { type Payments, persist } from './_surroundings.ts';

const digits = { USD: 2, JPY: 0, KWD: 3 };
const items = [{ productId: '00000000-0000-4000-8000-0000000007ea', quantity: 1 }];

/** Orders whose payment is under way at once. */
const atOnce = 40;
/** Calls are repeated once a minute at last, and a story has a dozen faults. */
const patience = { timeoutMs: 900_000, intervalMs: 50 };
const patienceInTheEnd = { timeoutMs: 240_000, intervalMs: 500 };

export interface Round {
  violations: string[];
  /** Orders with a step that an operator has to settle. */
  open: string[];
  outcomes: Record<string, number>;
  /** What became of each order. */
  told: Told[];
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
  const orderIds = [...byOrder.keys()];
  const sent: string[] = [];
  const cancelled = new Set<string>();
  const shipped = new Set<string>();
  const violations: string[] = [];
  let recorded = new Map<string, Recorded>();
  let isOver = false;

  await provider.clear();
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
  /** By order. */
  const chargeIds = new Map<string, string>();
  const stopWatching = account.onEvent(({ type, data: { object } }) => {
    if (type !== 'charge.succeeded') return;
    const { id, metadata } = object as { id: string; metadata: { orderId?: string } };
    const { orderId = '' } = metadata;
    // A list that changes while it is read repeats an event: nothing has happened then.
    if ((chargeIds.get(orderId) ?? id) !== id) violations.push(`Order ${orderId} is charged twice`);
    chargeIds.set(orderId, id);
  });
  const follow = (async () => {
    while (!isOver) {
      recorded = await payments.recorded(orderIds).catch(() => recorded);
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

  async function send(event: StoredEvent): Promise<void> {
    sent.push(event.id);
    await publish(event);
  }

  const reserve = ({ orderId, customerId, amount, currency, isTaxed }: Story) =>
    send(
      storedEvent('StockReserved', {
        ...{ orderId, customerId, items, total: moneyOf(amount, currency) },
        ...(isTaxed && { taxes: taxesOf(amount, currency) }),
      }),
    );

  async function cancel({ orderId, customerId }: Story): Promise<void> {
    if (cancelled.has(orderId)) return;
    cancelled.add(orderId);
    payments.tokens.delete(orderId);
    await send(storedEvent('OrderCancelled', { orderId, customerId, reason: 'cancelled by the customer' }));
  }

  async function ship({ orderId, customerId }: Story): Promise<void> {
    shipped.add(orderId);
    await send(storedEvent('OrderShipped', { orderId, customerId, shipmentId: randomUUID() }));
  }

  /** The customer finishes an action, or the bank decides. */
  async function decide({ orderId, token, ends }: Story): Promise<void> {
    if (token !== 'action' && token !== 'undecided') return;
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
      if (status >= 200 && status < 300) violations.push(`A forged callback about order ${orderId} was accepted`);
    }
  }

  async function actOutside({ orderId, outside, amount }: Story): Promise<void> {
    for (const id of account.intentsOf(orderId)) {
      try {
        if (outside === 'part refunded') await account.refund(id, Math.ceil(amount / 30) * 10, {});
        else if (outside === 'all refunded') await account.refund(id, undefined, {});
        else if (outside !== 'nothing') {
          const disputeId = await account.dispute(id);
          if (disputeId === undefined || outside === 'disputed') continue;
          await wait(random(1_000));
          account.closeDispute(disputeId, outside === 'disputed and won' ? 'won' : 'lost');
        }
      } catch (error) {
        // It is refunded or disputed already, or was never charged.
        if (!(error instanceof StripeError)) throw error;
      }
    }
  }

  /** An operator refunds an amount, and repeats the request until it is answered. It may be refused: others return money, too. */
  async function refund({ orderId, currency }: Story, units: number): Promise<void> {
    const request = {
      method: 'POST',
      headers: {
        'id-account': randomUUID(),
        'account-roles': 'operator',
        'idempotency-key': randomUUID(),
        'content-type': 'application/json',
      },
      body: stringifyJson({ amount: moneyOf(units, currency), reason: 'It arrived broken.' }),
    };
    await persist(async () => {
      const { status } = await fetch(`${payments.url}/orders/${orderId}/refunds`, request);
      if (status >= 500) throw new Error(`A refund was answered ${status}`);
      if (status !== 201 && status !== 409) violations.push(`A refund of order ${orderId} was answered ${status}`);
    });
  }

  async function ask(story: Story): Promise<void> {
    const { asked, amount } = story;
    const third = Math.floor(amount / 3);
    if (asked === 'a third') await refund(story, third);
    if (asked === 'two thirds, twice') await Promise.all([refund(story, 2 * third), refund(story, 2 * third)]);
    if (asked === 'all') await refund(story, amount);
  }

  const acts: Record<Act, (story: Story) => Promise<void>> = {
    refund: ask,
    outside: actOutside,
    cancel: async (story) => (story.cancelled === 'when paid' ? cancel(story) : undefined),
    ship: async (story) => (story.isShipped && !cancelled.has(story.orderId) ? ship(story) : undefined),
  };

  async function tell(story: Story): Promise<void> {
    const { orderId } = story;
    payments.tokens.set(orderId, tokens[story.token]);
    await reserve(story);
    if (story.cancelled === 'at once') await cancel(story);
    await wait(story.afterMs);
    await forge(story);
    if (story.cancelled === 'soon') await cancel(story);
    // A customer who never acts: the order's time is up. A bank that never decides is told to in the end.
    const isEndless = story.ends === 'never' && (story.token === 'action' || story.token === 'undecided');
    if (isEndless) {
      await wait(500);
      await cancel(story);
    }
    await until(
      () => `the payment of order ${orderId} is decided: ${JSON.stringify({ story, recorded: recorded.get(orderId) })}`,
      async () => {
        if (!isEndless || story.token === 'undecided') await decide(story);
        return isDecided(orderId);
      },
      patience,
    );
    if (!kindsOf(orderId).includes('OrderPaid')) return;
    if (story.isAtOnce) await Promise.all(story.order.map((act) => acts[act](story)));
    else for (const act of story.order) await acts[act](story);
  }

  /** Waits until nothing is in flight. @returns what still is */
  async function quiesce(): Promise<unknown[]> {
    let due: unknown[] = [];
    let [pauseMs, nextAt] = [500, 0];
    const isQuiet = async () => {
      settleRefunds();
      // Also customers whose orders are over by now.
      for (const story of stories) await decide(story);
      // More and more seldom: a slow machine needs time for a call.
      if (Date.now() >= nextAt) {
        await payments.endLeases();
        pauseMs *= 2;
        nextAt = Date.now() + pauseMs;
      }
      due = [...(await payments.stepsInFlight(orderIds)), ...(await payments.unpublished())];
      return due.length === 0;
    };
    await until('nothing is in flight', isQuiet, patienceInTheEnd).catch(() => undefined);
    return due;
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
  violations.push(...all.flatMap((one) => (one.status === 'rejected' ? [String(one.reason?.stack)] : [])));

  // Nothing goes wrong any more, and everything comes to its end.
  provider.meet(noFaults);
  await until('every event is handled', async () => (await payments.unhandled(sent)).length === 0, patienceInTheEnd);
  await quiesce();
  await payments.relist();
  await provider.callbacks.stop();
  await quiesce();
  // An operator has the money of cancelled orders returned of which the customers' banks refused it. Where only the provider has refused
  // refunds before, because of a dispute, the bank's one refusal is still to come.
  for (let round = 1; round <= 2; round += 1) {
    recorded = await persist(() => payments.recorded(orderIds));
    for (const [orderId, { charged, returned, disputed }] of await account.books()) {
      const story = byOrder.get(orderId);
      const hasFailed = recorded.get(orderId)?.refunds.includes('FAILED') === true;
      if (story && cancelled.has(orderId) && hasFailed && charged > returned && disputed === 0)
        await refund(story, charged - returned);
    }
    await quiesce();
  }
  if ((await quiesce()).length > 0) {
    provider.advance(25 * 3_600_000);
    await payments.passDay();
    const due = await quiesce();
    if (due.length > 0) violations.push(`It is in flight after a day, and not OPEN: ${JSON.stringify(due)}`);
  }
  stopWatching();

  recorded = await persist(() => payments.recorded(orderIds));
  const books = await account.books();
  const outcomes: Record<string, number> = {};
  const open: string[] = [];
  const told: Told[] = [];
  for (const story of stories) {
    const { orderId } = story;
    const one = recorded.get(orderId);
    if (one?.isOpen) open.push(orderId);
    const name = one?.isOpen ? 'OPEN' : String(one?.status);
    outcomes[name] = (outcomes[name] ?? 0) + 1;
    const excesses = account.excesses.filter((excess) => excess.orderId === orderId).map(({ amount }) => amount);
    const about = { isCancelled: cancelled.has(orderId), isShipped: shipped.has(orderId), excesses };
    const whole = { ...about, story, recorded: one, book: books.get(orderId) };
    told.push(whole);
    violations.push(...violationsOf(whole));
  }
  return { violations, open, outcomes, told };
}

const moneyOf = (units: number, currency: Story['currency']) => ({
  amount: new Decimal(units).div(10 ** digits[currency]),
  currency,
});

/** A third at one rate, and the rest at another. */
function taxesOf(units: number, currency: Story['currency']) {
  const third = Math.floor(units / 3);
  return [
    { permille: 230, gross: moneyOf(third, currency).amount },
    { permille: 55, gross: moneyOf(units - third, currency).amount },
  ];
}

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
