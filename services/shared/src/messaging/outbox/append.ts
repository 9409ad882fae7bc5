import { type QueryExecutorProvider, sql } from 'kysely';
import type { StoredEvent } from '../events.ts';

/**
 * Writes events in the transaction of the change that they announce (contract 6.5); after its commit comes
 * {@link wakeRelay}. The outbox table is the same in every database that publishes (prisma/schema.prisma of the order
 * service). Events of one key must be written under a lock that their writers share, such as that of the order's row: only
 * then is the order of `seq` the order of the commits.
 */
export async function appendToOutbox(tx: QueryExecutorProvider, ...events: StoredEvent[]): Promise<void> {
  await sql`
    insert into outbox (id, kind, key, payload, traceparent, created_at)
    select * from json_to_recordset(${JSON.stringify(events)}::json)
      as event(id uuid, kind text, key text, payload text, traceparent text, "createdAt" timestamptz)`.execute(tx);
}

/** The channel that wakes the relays. */
export const outboxChannel = 'outbox';

/** Further commits within this time share a notification. */
const gatherMs = 10;

interface Wakes {
  isDue: boolean;
  sentAt: number;
}
const wakes = new WeakMap<QueryExecutorProvider, Wakes>();

/**
 * Wakes the relays after a commit that wrote to the outbox. In the transaction itself NOTIFY would make its commit wait
 * until those of all others that notify, in any database of the server, are on the disk (decisions/0022). If the
 * notification is lost, they look by themselves within a second.
 */
export function wakeRelay(database: QueryExecutorProvider): void {
  const state = wakes.get(database) ?? { isDue: false, sentAt: Number.NEGATIVE_INFINITY };
  wakes.set(database, state);
  if (state.isDue) return;
  state.isDue = true;
  setTimeout(
    () => {
      state.isDue = false;
      state.sentAt = performance.now();
      notify(database).catch(() => undefined);
    },
    Math.max(0, state.sentAt + gatherMs - performance.now()),
  );
}

/** A transaction that only notifies need not wait for the disk. */
const notify = (database: QueryExecutorProvider) =>
  sql`select set_config('synchronous_commit', 'off', true), pg_notify(${sql.lit(outboxChannel)}, '')::text`.execute(
    database,
  );
