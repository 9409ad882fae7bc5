import { type QueryExecutorProvider, sql } from 'kysely';
import type { StoredEvent } from '../events.ts';

/**
 * The channel that wakes the relay: `select pg_notify('outbox', '')` in the transaction that writes to the outbox.
 * The outbox table is the same in every database that publishes (prisma/schema.prisma of the order service).
 * Events of one key must be written under a lock that their writers share, such as that of the order's row: only then
 * is the order of `seq` the order of the commits.
 */
export const outboxChannel = 'outbox';

/** Writes events in the transaction of the change that they announce (contract 6.5) and wakes the relay at its commit. */
export async function appendToOutbox(tx: QueryExecutorProvider, ...events: StoredEvent[]): Promise<void> {
  await sql`
    with added as (
      insert into outbox (id, kind, key, payload, traceparent, created_at)
      select * from json_to_recordset(${JSON.stringify(events)}::json)
        as event(id uuid, kind text, key text, payload text, traceparent text, "createdAt" timestamptz)
    )
    select pg_notify(${sql.lit(outboxChannel)}, '')::text`.execute(tx);
}
