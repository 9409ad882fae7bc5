import { type QueryExecutorProvider, sql } from 'kysely';

/** Longer than the topic keeps events (7 days), because dead letters may be redriven later. */
const keepDays = 30;
/** Small enough for a statement to end long before its time-out. */
const batchSize = 5_000;

/** Deletes the ids of events that are hardly delivered again. @returns how many */
export async function deleteOldEventIds(database: QueryExecutorProvider): Promise<number> {
  for (let count = 0; ; ) {
    const { numAffectedRows = 0n } = await sql`
      delete from processed_events where (consumer_group, event_id) in (
        select consumer_group, event_id from processed_events
        where processed_at < now() - interval '${sql.raw(String(keepDays))} days' limit ${sql.lit(batchSize)})`.execute(
      database,
    );
    count += Number(numAffectedRows);
    if (numAffectedRows < batchSize) return count;
  }
}
