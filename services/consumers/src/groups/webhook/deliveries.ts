import { kindsFollowedByOrder } from '@store/shared/contracts/order';
import type { Transaction } from '@store/shared/database/transaction';
import type { Logger } from '@store/shared/observability/log';
import type { Ended, Next, Queue } from '@store/shared/outgoing/outgoing';
import { backoff } from '@store/shared/values/time';
import { Counter } from 'prom-client';
import type { PrismaClient } from '../../generated/client.ts';
import {
  type Delivery,
  deliveryTable,
  type EndedDelivery,
  endedFailure,
  holdDeliveries,
  holdDue,
  noteAttempts,
  queueName,
  releaseNext,
} from './delivery-repository.ts';
import { type Attempt, answerMs, type EndpointClient } from './endpoint-client.ts';
import { endEndpoint, type Health, noteHealth } from './health-repository.ts';
import type { createOrderClient } from './order-client.ts';

/** Seconds between an attempt that failed and the next one. After the last the delivery is given up, some three days later. */
const pausesSeconds = [5, 30, 300, 1_800, 7_200, 18_000, 36_000, 86_400, 108_000];
/** Other answers from 400 to 499 mean that the endpoint will not take it later either. */
const temporary = new Set([408, 409, 425, 429]);
const triesOfRefused = 3;
/** At once for an endpoint and process. */
const perEndpoint = 20;
/** The healthy endpoint hears of an event within 300 ms of its commit, of which the group takes 100. */
const gatherMs = 50;
/** In ms. An endpoint that takes longer may hang, so it gets one delivery after the other: 1,000 of them hold as many connections. */
const quickMs = answerMs / 2;
/** While an order cannot be read, or a secret: the endpoint has nothing to do with it. */
const ownPauses = { firstMs: 1_000, maxMs: 60_000 };

const attempted = new Counter({
  name: 'webhook_attempts_total',
  help: 'Attempts to deliver an event to an endpoint, by result: delivered, failed, given_up.',
  labelNames: ['result'],
});
for (const result of ['delivered', 'failed', 'given_up']) attempted.inc({ result }, 0);

interface Dependencies {
  orderOf: ReturnType<typeof createOrderClient>;
  secretsOf(webhookId: string): Promise<string[]>;
  endpoints: Pick<EndpointClient, 'send'>;
}

type Outcome = Attempt | 'paused' | 'ended' | 'no order' | 'order behind';

/** Kinds that the order service follows, so that an endpoint may hear of them first. */
const followed: ReadonlySet<string> = new Set(kindsFollowedByOrder);
/** Time for the order to follow an event. After that, its body says less than the event: perhaps it became a dead letter. */
const followMs = 60_000;
const lookAgainMs = 200;

/** Delivers events to endpoints (contract 4.22), each at least once under the same id. */
export const deliveries = ({
  orderOf,
  secretsOf,
  endpoints,
}: Dependencies): Queue<PrismaClient, Delivery, Outcome> => ({
  name: queueName,
  ...deliveryTable,
  perLane: perEndpoint,
  slowStartMs: quickMs,
  gatherMs,
  callMs: answerMs + 10_000,

  async make({ id, webhookId, webhook, ...delivery }): Promise<Outcome> {
    if (webhook?.state === 'PAUSED') return 'paused';
    if (webhook?.state !== 'ACTIVE') return 'ended';
    const { orderId, kind, at } = delivery;
    const mayBeBehind = followed.has(kind) && Date.now() - at.getTime() < followMs;
    const [order, secrets] = await Promise.all([
      orderId === null ? undefined : orderOf({ orderId, eventId: mayBeBehind ? delivery.eventId : undefined }),
      secretsOf(webhookId),
    ]);
    if (order === 'behind') return 'order behind';
    if (orderId !== null && order === undefined) return 'no order';
    return endpoints.send(webhook.url, { id, body: bodyOf(delivery, order?.json), secrets });
  },

  async settle(tx, ended, log) {
    const settled = ended.map((one) => settle(one, log));
    const held = settled.flatMap(({ id, isHeld }) => (isHeld ? id : []));
    if (held.length > 0) holdDeliveries(tx, held);
    const noted = settled.flatMap(({ delivery }) => delivery ?? []);
    if (noted.length > 0) noteAttempts(tx, noted);
    const isOrdered = new Set(ended.flatMap(({ call: { id, webhook } }) => (webhook?.ordered ? id : [])));
    const over = noted.flatMap(({ id, state }) => (state !== 'PENDING' && isOrdered.has(id) ? id : []));
    await releaseNext(tx, over);
    const resting = await noteHealth(tx, healthOf(settled));
    if (resting.length > 0) holdDue(tx, resting);
    await endEndpoints(tx, settled, log);
    return settled.map(({ next }) => next);
  },
});

/** @param order JSON, left as it is */
function bodyOf(
  { kind, at, sequence, skipped }: Pick<Delivery, 'kind' | 'at' | 'sequence' | 'skipped'>,
  order: string | undefined,
) {
  const more = skipped === null ? '' : `,"skipped":${JSON.stringify(skipped)}`;
  const data = order === undefined ? '{}' : `{"order":${order},"sequence":${sequence}${more}}`;
  return `{"type":${JSON.stringify(kind)},"timestamp":"${at.toISOString()}","data":${data}}`;
}

interface Settled {
  id: string;
  webhookId: string;
  next: Next;
  /** What is noted of it. */
  delivery?: EndedDelivery;
  /** It waits until its endpoint is no longer paused. */
  isHeld?: true;
  /** Undefined if the outcome says nothing new about the endpoint. */
  isAccepted?: boolean;
  /** The endpoint's end. */
  end?: 'GIVEN_UP' | 'GONE';
}

function settle(one: Ended<Delivery, Outcome>, log: Logger): Settled {
  const { id, webhookId, webhook, tries, attempts } = one.call;
  const about = { id, webhookId };
  if ('error' in one) {
    log.warn({ err: one.error, deliveryId: id, webhookId }, 'A delivery could not be made and is tried again');
    return { ...about, next: { againInMs: backoff(Math.max(attempts - tries, 1), ownPauses) } };
  }
  const over = (state: 'DELIVERED' | 'GIVEN_UP', { status, failure }: Pick<Attempt, 'status' | 'failure'>) => {
    attempted.inc({ result: state === 'DELIVERED' ? 'delivered' : 'given_up' });
    return { ...about, next: 'stored', delivery: { id, state, status, failure, dueInMs: null } } as const;
  };
  const { outcome } = one;
  if (outcome === 'paused') return { ...about, next: 'stored', isHeld: true };
  if (outcome === 'order behind') return { ...about, next: { againInMs: lookAgainMs } };
  if (outcome === 'ended' || outcome === 'no order')
    return over('GIVEN_UP', { status: undefined, failure: outcome === 'ended' ? endedFailure : 'There is no order.' });
  const { status, failure, retryAfterSeconds = 0 } = outcome;
  if (failure === undefined) {
    // Nearly always nothing has failed before, so there is nothing to note.
    const hadFailed = webhook !== null && webhook.failures > 0;
    return { ...over('DELIVERED', outcome), ...(hadFailed && { isAccepted: true }) };
  }
  const isRefused = status !== undefined && status >= 400 && status < 500 && !temporary.has(status);
  const pause = pausesSeconds[tries];
  const fields = { deliveryId: id, webhookId, status, failure, tries: tries + 1 };
  if (status === 410 || pause === undefined || (isRefused && tries + 1 >= triesOfRefused)) {
    log.warn(fields, 'A delivery is given up');
    // Refused three times, it may be the only one of its kind.
    const end = status === 410 ? 'GONE' : pause === undefined ? 'GIVEN_UP' : undefined;
    return { ...over('GIVEN_UP', outcome), isAccepted: false, ...(end && { end }) };
  }
  attempted.inc({ result: 'failed' });
  log.info(fields, 'A delivery failed and is tried again');
  const dueInMs = Math.max(pause, retryAfterSeconds) * 1_000;
  const delivery = { id, state: 'PENDING', status, failure, dueInMs } as const;
  return { ...about, next: 'stored', delivery, isAccepted: false };
}

function healthOf(settled: Settled[]): Health[] {
  const byId = new Map<string, Health>();
  for (const { webhookId, isAccepted, delivery } of settled) {
    if (isAccepted === undefined) continue;
    const health = byId.get(webhookId) ?? { webhookId, accepted: 0, failed: 0, failure: null };
    byId.set(webhookId, health);
    health[isAccepted ? 'accepted' : 'failed'] += 1;
    health.failure = delivery?.failure ?? health.failure;
  }
  return [...byId.values()];
}

async function endEndpoints(tx: Transaction, settled: Settled[], log: Logger): Promise<void> {
  const ends = new Map<string, 'GIVEN_UP' | 'GONE'>();
  for (const { webhookId, end } of settled) if (end && ends.get(webhookId) !== 'GONE') ends.set(webhookId, end);
  for (const [webhookId, state] of [...ends].sort()) {
    if (await endEndpoint(tx, webhookId, state)) log.error({ webhookId, state }, 'A webhook has ended');
  }
}
