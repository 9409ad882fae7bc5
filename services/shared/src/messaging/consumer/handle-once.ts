import { isDatabaseMisconfigured, isDatabaseUnavailable } from '../../database/errors.ts';
import type { Query } from '../../database/query.ts';
import { runInTrace, startSpan, type Trace, traceFrom } from '../../observability/trace-context.ts';
import { DomainError } from '../../values/errors.ts';
import { type EventKind, eventAttributes, type OrderEvent } from '../events.ts';
import { consumerMetrics } from './metrics.ts';

/** What a handler's transaction offers to this file. */
export interface HandlerTransaction {
  query: Query;
}

/**
 * Changes the service's own database, inside the transaction that also remembers the event's id.
 * `prepared` is what `prepare` gave for this event.
 */
export type Handlers<Tx, Prepared = void> = {
  [K in EventKind]?: (event: OrderEvent<K>, tx: Tx, prepared: Prepared) => Promise<void>;
};

export interface ConsumerGroup<Tx extends HandlerTransaction, Prepared = void> {
  /** spec: Events, rule 2: a group has its own offsets, and here its own memory of event ids. */
  group: string;
  handlers: Handlers<Tx, Prepared>;
  /**
   * What has to be asked of others before the transaction; throws PoisonError, or unavailable to wait. It is done again
   * for an event that comes again, even for one that was handled before.
   */
  prepare?(event: OrderEvent): Promise<Prepared>;
  transaction<T>(work: (tx: Tx) => Promise<T>): Promise<T>;
}

/** Handles events in one transaction, each once however often it comes. */
export async function handleOnce<Tx extends HandlerTransaction, Prepared = void>(
  options: ConsumerGroup<Tx, Prepared>,
  events: OrderEvent[],
): Promise<void> {
  const { group } = options;
  const spans = new Map(events.map((event) => [event, startEventSpan(event, group)]));
  try {
    const processed = await applyInTraces(options, events, (event) => spans.get(event) ?? traceFrom(event.traceparent));
    consumerMetrics.handled.inc({ group, result: 'processed' }, processed.size);
    consumerMetrics.handled.inc({ group, result: 'duplicate' }, events.length - processed.size);
    for (const [event, span] of spans) {
      span?.end({ attributes: { 'store.result': processed.has(event) ? 'processed' : 'duplicate' } });
    }
  } catch (error) {
    for (const span of spans.values()) span?.end({ error });
    throw error;
  }
}

/**
 * A child of what has caused the event, not a link to it: a span is about one event, also where several share a
 * transaction, and so an order is one trace from its request to its shipment.
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
async function applyInTraces<Tx extends HandlerTransaction, Prepared>(
  { group, handlers, prepare, transaction }: ConsumerGroup<Tx, Prepared>,
  events: OrderEvent[],
  traceOf: (event: OrderEvent) => Trace,
): Promise<Set<OrderEvent>> {
  const inTrace = <T>(event: OrderEvent, work: () => Promise<T>) => runInTrace(traceOf(event), work);
  const prepared: { event: OrderEvent; result: Prepared | undefined }[] = [];
  for (const event of events) {
    prepared.push({ event, result: await inTrace(event, async () => prepare?.(event)) });
  }
  return transaction(async (tx) => {
    const rows = await tx.query<{ id: string }>(
      `insert into processed_events (consumer_group, event_id) select $1, unnest($2::uuid[])
       on conflict do nothing returning event_id::text as id`,
      group,
      events.map(({ id }) => id),
    );
    const isNew = new Set(rows.map(({ id }) => id));
    const processed = new Set<OrderEvent>();
    for (const { event, result } of prepared) {
      // Twice in one chunk is once: the set holds an id, and the second is refused here.
      if (!isNew.delete(event.id)) continue;
      processed.add(event);
      const handle = handlers[event.kind] as
        | ((event: OrderEvent, tx: Tx, prepared: Prepared | undefined) => Promise<void>)
        | undefined;
      await inTrace(event, async () => handle?.(event, tx, result));
    }
    return processed;
  });
}

/** Whether a failure says nothing about the event: what its handler needs is away, or in no state to serve anybody. */
export const isUnavailable = (error: unknown) =>
  isDatabaseUnavailable(error) ||
  isDatabaseMisconfigured(error) ||
  (error instanceof DomainError && error.kind === 'unavailable');
