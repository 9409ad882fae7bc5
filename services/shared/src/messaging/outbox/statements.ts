import type pg from 'pg';
import type { StoredEvent } from '../events.ts';
import { shareOfRow } from './shares.ts';

const batchSize = 1_000;
/** Even if all events of a batch go to one partition, they fit into the largest batch that a broker accepts (1 MiB by default). */
const batchBytes = 512 * 1024;
const headerBytes = 512;
const fewIds = 50;
const keepSentDays = 7;
/** Small enough for deleting never to delay an event noticeably. */
export const deleteBatchSize = 5_000;

export interface Batch {
  events: StoredEvent[];
  /** True if more may wait behind it. */
  isFull: boolean;
}

const ids = (events: StoredEvent[]) => events.map(({ id }) => id);

const marking = 'update outbox set sent_at = now() where id = any($1::uuid[])';

export async function markSent(client: pg.Client, sent: StoredEvent[]): Promise<void> {
  if (sent.length > 0) await client.query(marking, [ids(sent)]);
}

/** Marks what was sent and returns the events after those in flight, without those of `otherShares`. */
export async function markAndRead(
  client: pg.Client,
  sent: StoredEvent[],
  inFlight: StoredEvent[],
  otherShares: number[],
): Promise<Batch> {
  const { rows } = await client.query<StoredEvent>({
    // Both see the table as it was before: the rows that are marked are unsent for the other. "<> all" makes PostgreSQL
    // expect that most rows fit, and read them by seq; with "= any" it would read and sort all that is unsent.
    text: `with marked as (${marking})
     select id, kind, key, payload, traceparent, created_at as "createdAt"
     from outbox where sent_at is null and id <> all($1::uuid[] || $2::uuid[]) and (${shareOfRow}) <> all($3::int[])
     order by seq limit ${batchSize}`,
    values: [ids(sent), ids(inFlight), otherShares],
    // PostgreSQL compares with many ids faster where it plans for just these.
    ...(sent.length + inFlight.length < fewIds && { name: 'mark-and-read' }),
  });
  let bytes = 0;
  const tooMuch = rows.findIndex(({ payload }) => {
    bytes += Buffer.byteLength(payload) + headerBytes;
    return bytes > batchBytes;
  });
  if (tooMuch === -1) return { events: rows, isFull: rows.length === batchSize };
  return { events: rows.slice(0, Math.max(tooMuch, 1)), isFull: true };
}

export async function deleteSent(client: pg.Client): Promise<number> {
  const { rowCount } = await client.query(
    // Every relay deletes, so each skips what another one is deleting.
    `delete from outbox where id = any(array(
       select id from outbox where sent_at < now() - interval '${keepSentDays} days'
       limit ${deleteBatchSize} for update skip locked))`,
  );
  return rowCount ?? 0;
}
