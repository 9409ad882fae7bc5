import type pg from 'pg';
import { deleteInBatches } from '../../database/batches.ts';
import { literal, type Statements, sql } from '../../database/sql.ts';
import type { StoredEvent } from '../events.ts';

const fewIds = 50;
const keptDays = 7;

/** Any constant. Earlier releases, whose relays share the outbox, hold it in shared mode, so they and this relay exclude each other. */
const relayLock = 7_310_002;

/** Makes a connection the one that publishes, until it ends. @returns false while another one is */
export async function lockOutbox(client: pg.Client): Promise<boolean> {
  const { rows } = await client.query<{ isHeld: boolean }>(`select pg_try_advisory_lock(${relayLock}) as "isHeld"`);
  return rows[0]?.isHeld === true;
}

const ids = (events: StoredEvent[]) => events.map(({ id }) => id);

const marking = 'update outbox set sent_at = now() where id = any($1::uuid[])';

export async function markSent(client: pg.Client, sent: StoredEvent[]): Promise<void> {
  if (sent.length > 0) await client.query(marking, [ids(sent)]);
}

/** Marks what was sent and returns the events after those in flight, in the order in which they were written. */
export async function markAndRead(
  client: pg.Client,
  sent: StoredEvent[],
  inFlight: StoredEvent[],
  limit: number,
): Promise<StoredEvent[]> {
  const { rows } = await client.query<StoredEvent>({
    // Both see the table as it was before: the rows that are marked are unsent for the other.
    text: `with marked as (${marking})
     select id, kind, key, payload, traceparent, created_at as "createdAt"
     from outbox where sent_at is null and id <> all($1::uuid[] || $2::uuid[])
     order by seq limit $3`,
    values: [ids(sent), ids(inFlight), limit],
    // PostgreSQL compares with many ids faster where it plans for just these.
    ...(sent.length + inFlight.length < fewIds && { name: 'mark-and-read' }),
  });
  return rows;
}

/** Deletes what was published long ago. */
export const deleteSent = ({ run }: Statements): Promise<number> =>
  deleteInBatches(
    run,
    (limit) => sql`
      delete from outbox where id = any(array(
        select id from outbox where sent_at < now() - interval '${literal(keptDays)} days' limit ${limit}))`,
  );
