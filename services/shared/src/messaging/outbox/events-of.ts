import type { EventOut } from '../../contracts/order-record.ts';
import { isoTime } from '../../database/keyset.ts';
import { raw, type Statements, sql } from '../../database/sql.ts';

/** Reads the events about an order that a service has written, in order. Published events are deleted after 7 days. */
export const eventsOf = ({ run }: Statements, orderId: string): Promise<EventOut[]> =>
  run<EventOut>(sql`
    select id::text, kind, payload, split_part(traceparent, '-', 2) as "traceId",
      ${raw(isoTime('created_at', 'MS'))} as "createdAt", ${raw(isoTime('sent_at', 'MS'))} as "sentAt"
    from outbox where key = ${orderId}
    order by seq`);
