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

/**
 * The events about an order that a service has written, in their order, for the people who look after it: those that wait, and
 * those that were published. Published events are deleted after 7 days.
 */
export async function eventsOf(on: QueryExecutorProvider, orderId: string): Promise<OutboxEvent[]> {
  const { rows } = await sql<OutboxEvent & { seq: string }>`
    select id::text, seq, kind, payload, traceparent, created_at as "createdAt", sent_at as "sentAt"
    from outbox where key = ${orderId}
    order by seq`.execute(on);
  return rows.map(({ seq: _, ...event }) => event);
}
