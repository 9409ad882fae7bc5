import { consumerMetrics } from './consumer-metrics.ts';
import { isDatabaseAway, isDatabaseUnfit } from './database-errors.ts';
import { DomainError } from './errors.ts';
import type { EventKind, OrderEvent } from './events.ts';
import { runInTrace, traceFrom } from './trace.ts';

/** What a handler's transaction offers to this file; Prisma's transaction client does. */
export interface EffectTransaction {
  $queryRawUnsafe<T>(sql: string, ...values: unknown[]): Promise<T>;
}

/**
 * Changes the service's own database, inside the transaction that also remembers the event's id.
 * `prepared` is what `prepare` gave for this event.
 */
export type Handlers<Tx, Prepared = void> = {
  [K in EventKind]?: (event: OrderEvent<K>, tx: Tx, prepared: Prepared) => Promise<void>;
};

export interface EffectOptions<Tx extends EffectTransaction, Prepared = void> {
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
export async function applyEvents<Tx extends EffectTransaction, Prepared = void>(
  { group, handlers, prepare, transaction }: EffectOptions<Tx, Prepared>,
  events: OrderEvent[],
): Promise<void> {
  const inTrace = <T>(event: OrderEvent, work: () => Promise<T>) => runInTrace(traceFrom(event.traceparent), work);
  const prepared: { event: OrderEvent; result: Prepared | undefined }[] = [];
  for (const event of events) {
    prepared.push({ event, result: await inTrace(event, async () => prepare?.(event)) });
  }
  let processed = 0;
  await transaction(async (tx) => {
    const rows = await tx.$queryRawUnsafe<{ id: string }[]>(
      `insert into processed_events (consumer_group, event_id) select $1, unnest($2::uuid[])
       on conflict do nothing returning event_id::text as id`,
      group,
      events.map(({ id }) => id),
    );
    const isNew = new Set(rows.map(({ id }) => id));
    processed = isNew.size;
    for (const { event, result } of prepared) {
      // Twice in one chunk is once: the set holds an id, and the second is refused here.
      if (!isNew.delete(event.id)) continue;
      const handle = handlers[event.kind] as
        | ((event: OrderEvent, tx: Tx, prepared: Prepared | undefined) => Promise<void>)
        | undefined;
      await inTrace(event, async () => handle?.(event, tx, result));
    }
  });
  consumerMetrics.handled.inc({ group, result: 'processed' }, processed);
  consumerMetrics.handled.inc({ group, result: 'duplicate' }, events.length - processed);
}

/** Whether a failure says nothing about the event: what its handler needs is away, or in no state to serve anybody. */
export const isAway = (error: unknown) =>
  isDatabaseAway(error) || isDatabaseUnfit(error) || (error instanceof DomainError && error.kind === 'unavailable');
