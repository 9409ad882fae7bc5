import type pg from 'pg';
import { deleteInBatches } from '../../database/batches.ts';
import { literal, type Statements, sql } from '../../database/sql.ts';
import type { StoredEvent } from '../events.ts';

const fewIds = 50;
const keptDays = 7;

/** An arbitrary constant. Earlier releases hold this lock in shared mode, because their relays share the outbox; so they and this relay exclude each other. */
const relayLock = 7_310_002;

/** Makes this connection the publishing one until it ends. @returns false while another connection is */
export async function lockOutbox(client: pg.Client): Promise<boolean> {
  const { rows } = await client.query<{ isHeld: boolean }>(`select pg_try_advisory_lock(${relayLock}) as "isHeld"`);
  return rows[0]?.isHeld === true;
}

const ids = (events: StoredEvent[]) => events.map(({ id }) => id);

const marking = 'update outbox set sent_at = now() where id = any($1::uuid[])';

export async function markSent(client: pg.Client, sent: StoredEvent[]): Promise<void> {
  if (sent.length > 0) await client.query(marking, [ids(sent)]);
}

/** Marks sent events, and returns the events after those in flight, in the order in which they were written. */
export async function markAndRead(
  client: pg.Client,
  sent: StoredEvent[],
  inFlight: StoredEvent[],
  limit: number,
): Promise<StoredEvent[]> {
  const { rows } = await client.query<StoredEvent>({
    // Both parts see the table as it was before, so the select must exclude the rows that are being marked.
    text: `with marked as (${marking})
     select id, kind, key, payload, traceparent, created_at as "createdAt"
     from outbox where sent_at is null and id <> all($1::uuid[] || $2::uuid[])
     order by seq limit $3`,
    values: [ids(sent), ids(inFlight), limit],
    // For many ids, PostgreSQL is faster if it plans for the given values.
    ...(sent.length + inFlight.length < fewIds && { name: 'mark-and-read' }),
  });
  return rows;
}

/** Deletes events that were published more than 7 days ago. */
export const deleteSent = ({ run }: Statements): Promise<number> =>
  deleteInBatches(
    run,
    (limit) => sql`
      delete from outbox where id = any(array(
        select id from outbox where sent_at < now() - interval '${literal(keptDays)} days' limit ${limit}))`,
  );
