import { type Kysely, type QueryExecutorProvider, sql, type Transaction } from 'kysely';
import { isDatabaseMisconfigured, isDatabaseUnavailable } from '../../database/errors.ts';
import { runInTrace, startSpan, type Trace, traceFrom } from '../../observability/trace-context.ts';
import { DomainError } from '../../values/errors.ts';
import { type EventKind, eventAttributes, type OrderEvent } from '../events.ts';
import { consumerMetrics } from './metrics.ts';

/** An event that its group has not processed before. */
export interface NewEvent<Prepared = unknown> {
  event: OrderEvent;
  /** What `prepare` returned for it. */
  prepared: Prepared;
  /** Whoever writes events because of this one does so within its trace. */
  trace: Trace;
}

/** A consumer group of `order-events`: its name, the kinds it handles, and how (contract 6.6). */
export interface ConsumerGroup<Tables, Prepared = unknown> {
  /** Has offsets, and processed event ids, of its own. */
  name: string;
  /** Other kinds are skipped unread. */
  kinds: readonly EventKind[];
  /**
   * Calls to others that must precede the transaction. Throws PoisonError, or `unavailable` to make the partition wait.
   * Repeated when an event is delivered again, even if it was processed before.
   */
  prepare?(event: OrderEvent): Promise<Prepared>;
  /** Changes the database, in the transaction that also records the ids of the events, which come in their order. */
  handle(events: NewEvent<Prepared>[], tx: Transaction<Tables>): Promise<void>;
  /**
   * How many messages may share a transaction. More are faster; 1 if handlers of different orders lock the same rows,
   * which in another order would deadlock.
   */
  chunkSize: number;
  /**
   * How long the broker may hold back messages so that more arrive together, which costs less per message. Default 0:
   * each is fetched at once.
   */
  maxWaitMs?: number;
}

type Handlers<Repository, Prepared> = {
  [K in EventKind]?: (event: OrderEvent<K>, repository: Repository, prepared: Prepared) => Promise<void>;
};

/**
 * A group's kinds and `handle` from one handler per kind.
 * @param repositoryOn binds the handlers' repository to the transaction
 */
export function handleEach<Tables, Repository, Prepared = unknown>(
  handlers: Handlers<Repository, Prepared>,
  repositoryOn: (tx: Transaction<Tables>) => Repository,
): Pick<ConsumerGroup<Tables, Prepared>, 'kinds' | 'handle'> {
  type Handler = (event: OrderEvent, repository: Repository, prepared: Prepared) => Promise<void>;
  return {
    kinds: Object.keys(handlers) as EventKind[],
    async handle(events, tx) {
      const repository = repositoryOn(tx);
      for (const { event, prepared, trace } of events) {
        const handler = handlers[event.kind] as Handler | undefined;
        await runInTrace(trace, async () => handler?.(event, repository, prepared));
      }
    },
  };
}

type Claim = (tx: QueryExecutorProvider) => Promise<boolean>;

/** A group on its database, ready to process the events that a consumer or a redrive hands it. */
export interface EventProcessor extends Pick<ConsumerGroup<never>, 'chunkSize' | 'maxWaitMs'> {
  group: string;
  kinds: ReadonlySet<string>;
  /** Of the group. */
  database: QueryExecutorProvider;
  /**
   * Processes events in one transaction, each once, however often it is delivered.
   * @param claim called first in the transaction; if it returns false, nothing is processed
   */
  process(events: OrderEvent[], claim?: Claim): Promise<void>;
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
    process: (events, claim) => processMeasured(group, database, events, claim),
  };
}

async function processMeasured<Tables, Prepared>(
  group: ConsumerGroup<Tables, Prepared>,
  database: Kysely<Tables>,
  events: OrderEvent[],
  claim?: Claim,
): Promise<void> {
  const spans = new Map(events.map((event) => [event, startEventSpan(event, group.name)]));
  try {
    const traced = events.map((event) => ({ event, trace: spans.get(event) ?? traceFrom(event.traceparent) }));
    const processed = await processOnce(group, database, traced, claim);
    consumerMetrics.handled.inc({ group: group.name, result: 'processed' }, processed.size);
    consumerMetrics.handled.inc({ group: group.name, result: 'duplicate' }, events.length - processed.size);
    for (const [event, span] of spans) {
      span?.end({ attributes: { 'store.result': processed.has(event) ? 'processed' : 'duplicate' } });
    }
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

/** @returns the events that were new */
async function processOnce<Tables, Prepared>(
  group: ConsumerGroup<Tables, Prepared>,
  database: Kysely<Tables>,
  events: { event: OrderEvent; trace: Trace }[],
  claim?: Claim,
): Promise<Set<OrderEvent>> {
  const prepared: NewEvent<Prepared>[] = [];
  for (const { event, trace } of events) {
    const result = await runInTrace(trace, async () => group.prepare?.(event));
    prepared.push({ event, trace, prepared: result as Prepared });
  }
  return database.transaction().execute(async (tx) => {
    if (claim !== undefined && !(await claim(tx))) return new Set();
    const isNew = await recordEvents(
      group.name,
      events.map(({ event }) => event.id),
      tx,
    );
    // An event that is twice in one chunk is new only once: deleting its id from the set succeeds only once.
    const fresh = prepared.filter(({ event }) => isNew.delete(event.id));
    if (fresh.length > 0) await group.handle(fresh, tx);
    return new Set(fresh.map(({ event }) => event));
  });
}

/** Records event ids as processed by a group. @returns those that were not recorded before */
async function recordEvents<Tables>(group: string, ids: string[], tx: Transaction<Tables>): Promise<Set<string>> {
  const { rows } = await sql<{ id: string }>`
    insert into processed_events (consumer_group, event_id) select ${group}, unnest(${ids}::uuid[])
    on conflict do nothing returning event_id::text as id`.execute(tx);
  return new Set(rows.map(({ id }) => id));
}

/** Whether a failure says nothing about the event, because something that its handler depends on cannot serve anybody. */
export const isUnavailable = (error: unknown) =>
  isDatabaseUnavailable(error) ||
  isDatabaseMisconfigured(error) ||
  (error instanceof DomainError && error.kind === 'unavailable');
