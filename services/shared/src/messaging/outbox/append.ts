import { type QueryExecutorProvider, sql } from 'kysely';
import { afterCommit } from '../../database/transaction.ts';
import { coalesce } from '../../values/coalesce.ts';
import { sleep } from '../../values/time.ts';
import type { StoredEvent } from '../events.ts';

/**
 * Writes events in the transaction of the change that they announce (contract 6.5). Its commit wakes the relays. The outbox
 * table is the same in every database that publishes (prisma/schema.prisma of the order service). Only placing an order writes to
 * it by a statement of its own (new-order-repository.ts there). Events of one key must be written under a lock that their writers
 * share, such as that of the order's row: only then does `seq` follow the order of the commits.
 */
export async function appendToOutbox(tx: QueryExecutorProvider, ...events: StoredEvent[]): Promise<void> {
  await sql`
    insert into outbox (id, kind, key, payload, traceparent, created_at)
    select * from json_to_recordset(${JSON.stringify(events)}::json)
      as event(id uuid, kind text, key text, payload text, traceparent text, "createdAt" timestamptz)`.execute(tx);
  afterCommit(tx, wakeRelays);
}

export const outboxChannel = 'outbox';

/** Further commits within this time share a notification. */
const gatherMs = 10;

interface Wakes {
  notify(item: undefined): Promise<void>;
  /** The relay of this process. @returns false unless it is the one that is active */
  own?: { wake(): boolean };
}
const wakes = new WeakMap<QueryExecutorProvider, Wakes>();

function wakesOf(database: QueryExecutorProvider): Wakes {
  const notifying = async () => {
    await notify(database);
    await sleep(gatherMs);
  };
  const state = wakes.get(database) ?? { notify: coalesce(notifying) };
  wakes.set(database, state);
  return state;
}

/** Makes a relay of this process be woken without a notification while it is active. */
export function wakeDirectly(database: QueryExecutorProvider, relay: { wake(): boolean }): void {
  wakesOf(database).own = relay;
}

/**
 * Wakes the relays after a commit that wrote to the outbox. In the transaction itself NOTIFY would make its commit wait
 * until those of all others that notify, in any database of the server, are on the disk (decisions/0022). If the
 * notification is lost, they look by themselves within a second.
 */
export function wakeRelays(database: QueryExecutorProvider): void {
  const { own, notify } = wakesOf(database);
  if (!own?.wake()) notify(undefined).catch(() => undefined);
}

/** A transaction that only notifies need not wait for the disk. */
const notify = (database: QueryExecutorProvider) =>
  sql`select set_config('synchronous_commit', 'off', true), pg_notify(${sql.lit(outboxChannel)}, '')::text`.execute(
    database,
  );
