import { type QueryExecutorProvider, sql } from 'kysely';

export interface OutboxEvent {
  id: string;
  kind: string;
  /** JSON */
  payload: string;
  traceparent: string | null;
  createdAt: Date;
  /** Null as long as the broker has not acknowledged it. */
  sentAt: Date | null;
}

/** The relay publishes within this time after the last change of an order, unless the broker is away for longer. */
const publishedWithinMs = 3_600_000;

/**
 * The events about an order that a service has written, for the people who look after it: those that wait, and those that were
 * published between its first and an hour after its last change. By that time they are read from the index that the relay needs,
 * and no event costs an index by key. Published events are deleted after 7 days.
 */
export async function eventsOf(
  on: QueryExecutorProvider,
  { orderId, createdAt, updatedAt }: { orderId: string; createdAt: Date; updatedAt: Date },
): Promise<OutboxEvent[]> {
  const until = new Date(updatedAt.getTime() + publishedWithinMs);
  const { rows } = await sql<OutboxEvent & { seq: string }>`
    select id::text, seq, kind, payload, traceparent, created_at as "createdAt", sent_at as "sentAt"
    from outbox where key = ${orderId} and sent_at is null
    union all
    select id::text, seq, kind, payload, traceparent, created_at, sent_at
    from outbox where key = ${orderId} and sent_at between ${createdAt} and ${until}
    order by seq`.execute(on);
  return rows.map(({ seq: _, ...event }) => event);
}
