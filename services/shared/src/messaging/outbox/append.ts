import { sql } from '../../database/sql.ts';
import type { Transaction } from '../../database/transaction.ts';
import type { StoredEvent } from '../events.ts';

/**
 * Writes events in the transaction of the change that they announce (contract 6.5). Its commit wakes the relays. The outbox
 * table is the same in every database that publishes (prisma/schema.prisma of the order service). Only placing an order writes to
 * it with its own statement (new-order-repository.ts there). Events of one key must be written under a lock that their writers
 * share, such as the lock of the order's row: only then does `seq` follow the order of the commits.
 */
export function appendToOutbox(tx: Transaction, ...events: StoredEvent[]): void {
  tx.send(sql`
    insert into outbox (id, kind, key, payload, traceparent, created_at)
    select * from json_to_recordset(${JSON.stringify(events)}::json)
      as event(id uuid, kind text, key text, payload text, traceparent text, "createdAt" timestamptz)`);
  tx.notifyAfterCommit(outboxChannel);
}

/** Relays listen on this channel: a commit that wrote to the outbox wakes them. */
export const outboxChannel = 'outbox';
