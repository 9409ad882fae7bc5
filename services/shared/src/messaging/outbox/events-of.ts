import { type QueryExecutorProvider, sql } from 'kysely';
import { isoTime } from '../../database/keyset.ts';

export interface OutboxEvent {
  id: string;
  kind: string;
  /** JSON */
  payload: string;
  traceId: string | null;
  createdAt: string;
  /** Null as long as the broker has not acknowledged it. */
  sentAt: string | null;
}

/**
 * The events about an order that a service has written, in their order, for the people who look after it: those that wait, and
 * those that were published. Published events are deleted after 7 days.
 */
export async function eventsOf(on: QueryExecutorProvider, orderId: string): Promise<OutboxEvent[]> {
  const { rows } = await sql<OutboxEvent>`
    select id::text, kind, payload, split_part(traceparent, '-', 2) as "traceId",
      ${sql.raw(isoTime('created_at', 'MS'))} as "createdAt", ${sql.raw(isoTime('sent_at', 'MS'))} as "sentAt"
    from outbox where key = ${orderId}
    order by seq`.execute(on);
  return rows;
}
