import type { Kysely, QueryExecutorProvider, Transaction } from 'kysely';
import { isDatabaseMisconfigured, isDatabaseUnavailable } from '../../database/errors.ts';
import { inTransaction } from '../../database/transaction.ts';
import { runInTrace, startSpan, type Trace, traceFrom } from '../../observability/trace-context.ts';
import { DomainError } from '../../values/errors.ts';
import { letterRef } from '../dead-letters/dead-letters.ts';
import { openErrors, recordOpen } from '../dead-letters/records.ts';
import { type EventKind, eventAttributes, type OrderEvent } from '../events.ts';
import { consumerMetrics } from './metrics.ts';
import { recordEvents } from './processed-events.ts';
import { type Rehearsal, rehearse } from './rehearse.ts';

/** An event as it was delivered, perhaps again. */
export interface DeliveredEvent {
  event: OrderEvent;
  /** Trace within which others are called, or events written, because of this one. */
  trace: Trace;
}

/** An event that its group has not processed before. */
export interface NewEvent<Prepared = unknown> extends DeliveredEvent {
  /** Result of `prepare` for it. */
  prepared: Prepared;
}

/** A consumer group of `order-events`: its name, the kinds it handles, and how (contract 6.6). */
export interface ConsumerGroup<Tables, Prepared = unknown> {
  /** Has offsets, and processed event ids, of its own. */
  name: string;
  /** Other kinds are skipped unread. */
  kinds: readonly EventKind[];
  /**
   * Calls to others that must precede the transaction. Returns one result per event, in their order. Throws PoisonError, or
   * `unavailable` to make the partition wait. Repeated when an event is delivered again, even if it was processed before.
   */
  prepare?(events: DeliveredEvent[]): Promise<Prepared[]>;
  /**
   * Changes the database, in the transaction that also records the ids of the events. They come in their order and each
   * is of another order: the next event of an order is prepared after this transaction has been committed. Other replicas
   * handle other events meanwhile, so rows are locked in a fixed order (decisions/0023).
   * @param refuse says that an event becomes a dead letter as well, although what the handler does because of it stands
   */
  handle(events: NewEvent<Prepared>[], tx: Transaction<Tables>, refuse: Refuse): Promise<void>;
  /** How many messages are handled together at most. More are faster; the handler may call others for all at once. */
  chunkSize: number;
  /**
   * How long messages may wait so that more are handled together, which costs less per message. Default: not at all
   * while there are few, and tens of milliseconds while there are many.
   */
  maxWaitMs?: number;
}

export type Refuse = (event: OrderEvent, reason: string) => void;
/** Why events become dead letters although they were processed. */
export type Refused = ReadonlyMap<OrderEvent, string>;

type Claim = (tx: QueryExecutorProvider) => Promise<boolean>;

/** A group on its database, ready to process the events that a consumer or a redrive hands it. */
export interface EventProcessor extends Pick<ConsumerGroup<never>, 'chunkSize' | 'maxWaitMs'> {
  group: string;
  kinds: ReadonlySet<string>;
  /** Database of the group. */
  database: QueryExecutorProvider;
  /**
   * Processes events, each once, however often it is delivered. Those of different orders share a transaction. If it
   * throws, some events may have been processed.
   * @param claim for one event or none, called first in the transaction; if it returns false, nothing is processed
   * @returns those whose dead letters have to be written, also if they were processed before and no letter may have followed
   */
  process(events: OrderEvent[], claim?: Claim): Promise<Refused>;
  /** Says what processing an event would do, and changes nothing. */
  rehearse(event: OrderEvent): Promise<Rehearsal>;
}

export function createEventProcessor<Tables, Prepared>(
  group: ConsumerGroup<Tables, Prepared>,
  database: Kysely<Tables>,
): EventProcessor {
  return {
    group: group.name,
    kinds: new Set(group.kinds),
    chunkSize: group.chunkSize,
    maxWaitMs: group.maxWaitMs,
    database,
    async process(events, claim) {
      const refused = new Map<OrderEvent, string>();
      for (const round of roundsOf(events)) {
        for (const [event, reason] of await processMeasured(group, database, round, claim)) refused.set(event, reason);
      }
      return refused;
    },
    rehearse: (event) => rehearse(group, database, event),
  };
}

/** The first event of each order, then the second one of each, and so on. */
function roundsOf(events: OrderEvent[]): OrderEvent[][] {
  const rounds: OrderEvent[][] = [[]];
  const counts = new Map<string, number>();
  for (const event of events) {
    const count = counts.get(event.payload.orderId) ?? 0;
    counts.set(event.payload.orderId, count + 1);
    const round = rounds[count];
    if (round === undefined) rounds.push([event]);
    else round.push(event);
  }
  return rounds;
}

async function processMeasured<Tables, Prepared>(
  group: ConsumerGroup<Tables, Prepared>,
  database: Kysely<Tables>,
  events: OrderEvent[],
  claim?: Claim,
): Promise<Refused> {
  const spans = new Map(events.map((event) => [event, startEventSpan(event, group.name)]));
  try {
    const traced = events.map((event) => ({ event, trace: spans.get(event) ?? traceFrom(event.traceparent) }));
    const { processed, refused } = await processOnce(group, database, traced, claim);
    consumerMetrics.handled.inc({ group: group.name, result: 'processed' }, processed.size);
    consumerMetrics.handled.inc({ group: group.name, result: 'duplicate' }, events.length - processed.size);
    for (const [event, span] of spans) {
      span?.end({ attributes: { 'store.result': processed.has(event) ? 'processed' : 'duplicate' } });
    }
    return refused;
  } catch (error) {
    for (const span of spans.values()) span?.end({ error });
    throw error;
  }
}

/**
 * A child of the span that published the event, not a link to it: each span is about one event, even if several share a
 * transaction, so that an order is one trace from its request to its shipment.
 */
const startEventSpan = (event: OrderEvent, group: string) =>
  startSpan({
    name: `process ${event.kind}`,
    kind: 'consumer',
    parent: event.traceparent,
    attributes: {
      ...eventAttributes({ ...event, orderId: event.payload.orderId }),
      'messaging.operation.type': 'process',
      'messaging.consumer.group.name': group,
    },
  });

/** @returns the events that were new, and those that are refused, now or before */
async function processOnce<Tables, Prepared>(
  group: ConsumerGroup<Tables, Prepared>,
  database: Kysely<Tables>,
  events: DeliveredEvent[],
  claim?: Claim,
): Promise<{ processed: Set<OrderEvent>; refused: Refused }> {
  const [first] = events;
  // A call that serves several events belongs to the trace of the first one.
  const prepared = first && (await runInTrace(first.trace, async () => group.prepare?.(events)));
  return inTransaction(database, async (tx) => {
    if (claim !== undefined && !(await claim(tx))) return { processed: new Set(), refused: new Map() };
    const isNew = await recordEvents(
      group.name,
      events.map(({ event }) => event.id),
      tx,
    );
    const fresh = events.flatMap((delivered, index): NewEvent<Prepared>[] =>
      // An id that is twice in one chunk is new only once: deleting it from the set succeeds only once.
      isNew.delete(delivered.event.id) ? [{ ...delivered, prepared: prepared?.[index] as Prepared }] : [],
    );
    const processed = new Set(fresh.map(({ event }) => event));
    const refused = new Map<OrderEvent, string>();
    if (fresh.length > 0) await group.handle(fresh, tx, (event, reason) => refused.set(event, reason));
    for (const [event, reason] of refused) await recordOpen(tx, letterRef(group.name, event.message), reason);
    const repeated = events.map(({ event }) => event).filter((event) => !processed.has(event));
    return { processed, refused: new Map([...refused, ...(await refusedBefore(group.name, repeated, tx))]) };
  });
}

/** Finds the repeated events that were refused: the process may have ended before their letters were written. */
async function refusedBefore<Tables>(
  group: string,
  events: OrderEvent[],
  tx: Transaction<Tables>,
): Promise<[OrderEvent, string][]> {
  if (events.length === 0) return [];
  const ids = new Map(events.map((event) => [event, letterRef(group, event.message).id]));
  const errors = await openErrors(tx, group, [...ids.values()]);
  return events.flatMap((event): [OrderEvent, string][] => {
    const reason = errors.get(ids.get(event) ?? '');
    return reason === undefined ? [] : [[event, reason]];
  });
}

/** Tells whether a failure says nothing about the event, because something that its handler depends on cannot serve anybody. */
export const isUnavailable = (error: unknown) =>
  isDatabaseUnavailable(error) ||
  isDatabaseMisconfigured(error) ||
  (error instanceof DomainError && error.kind === 'unavailable');
