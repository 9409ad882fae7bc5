import type { Logger } from '../../observability/log.ts';

/** What a service's Prisma client offers to this file. */
export interface ProcessedEvents {
  $executeRawUnsafe(sql: string): Promise<number>;
}

/** Longer than a topic keeps an event (7 days), or somebody would hand a dead letter back. */
const keepDays = 30;
const hourMs = 60 * 60 * 1000;
/** Few enough that a statement is done long before its time-out, however many there are. */
const deleteBatchSize = 5_000;

/** Forgets the ids of events that can hardly come again; says how many. */
export async function deleteOldEventIds(database: ProcessedEvents): Promise<number> {
  for (let count = 0; ; ) {
    const deleted = await database.$executeRawUnsafe(
      `delete from processed_events where (consumer_group, event_id) in (
         select consumer_group, event_id from processed_events
         where processed_at < now() - interval '${keepDays} days' limit ${deleteBatchSize})`,
    );
    count += deleted;
    if (deleted < deleteBatchSize) return count;
  }
}

/** Runs `work` now and then every hour; where it fails, the next hour will do. Returns what ends it. */
export function everyHour(what: string, work: () => Promise<unknown>, log: Logger): () => void {
  const run = () => work().catch((error: unknown) => log.warn({ err: error }, `${what} failed and waits an hour`));
  run();
  const timer = setInterval(run, hourMs);
  return () => clearInterval(timer);
}
