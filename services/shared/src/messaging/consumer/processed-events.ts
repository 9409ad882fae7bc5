import { deleteInBatches } from '../../database/batches.ts';
import { literal, type Statements, sql } from '../../database/sql.ts';
import type { Transaction } from '../../database/transaction.ts';
import { dayMs } from '../../values/time.ts';
import { startsAfter } from '../kafka/admin.ts';
import type { KafkaOptions } from '../kafka/client.ts';

/** Longer than a topic usually keeps events (contract 6.2), because a relay may publish an event again much later. */
const shortestDays = 30;

/** Deletes ids of events that can no longer be redelivered: neither a topic nor an open dead letter holds them. @returns how many */
export async function deleteOldEventIds({ run }: Statements, broker: KafkaOptions, topics: string[]) {
  const days = Math.max(...(await Promise.all(topics.map((topic) => daysToKeep(broker, topic)))));
  // By ctid, which is stable because rows are never updated; the primary key would be looked up once more per row.
  return deleteInBatches(
    run,
    (limit) => sql`
      delete from processed_events where ctid = any(array(
        select ctid from processed_events processed
        where processed_at < now() - interval '${literal(days)} days' and not exists (
          select from dead_letters letter
          where letter.consumer_group = processed.consumer_group and letter.event_id = processed.event_id
            and letter.status = 'OPEN')
        limit ${limit}))`,
  );
}

/** Returns the first of 30, 60, 120, … days such that the topic holds no older event, regardless of its configured retention. */
async function daysToKeep(broker: KafkaOptions, topic: string): Promise<number> {
  for (let days = shortestDays; ; days *= 2) {
    const time = Date.now() - days * dayMs;
    if (time < 0 || (await startsAfter(broker, topic, new Date(time)))) return days;
  }
}

/** Records ids in sorted order, so that consumers with the same events do not deadlock. @returns the new ids */
export async function recordEvents(group: string, ids: string[], tx: Transaction): Promise<Set<string>> {
  const rows = await tx.run<{ id: string }>(sql`
    insert into processed_events (consumer_group, event_id) select ${group}, unnest(${[...ids].sort()}::uuid[])
    on conflict do nothing returning event_id::text as id`);
  return new Set(rows.map(({ id }) => id));
}
