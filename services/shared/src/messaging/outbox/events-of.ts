import { type QueryExecutorProvider, sql } from 'kysely';
import type { EventOut } from '../../contracts/order-record.ts';
import { isoTime } from '../../database/keyset.ts';

/** The events about an order that a service has written, in their order: published ones are deleted after 7 days. */
export async function eventsOf(on: QueryExecutorProvider, orderId: string): Promise<EventOut[]> {
  const { rows } = await sql<EventOut>`
    select id::text, kind, payload, split_part(traceparent, '-', 2) as "traceId",
      ${sql.raw(isoTime('created_at', 'MS'))} as "createdAt", ${sql.raw(isoTime('sent_at', 'MS'))} as "sentAt"
    from outbox where key = ${orderId}
    order by seq`.execute(on);
  return rows;
}
