import { rowsAs } from '@store/shared/database/rows';
import { sql } from '@store/shared/database/sql';
import type { Transaction } from '@store/shared/database/transaction';

/** Failed attempts in a row after which an endpoint rests. */
export const restsAfter = 10;
const firstRestSeconds = 30;
const longestRestSeconds = 600;

/** What the attempts that ended together were for an endpoint. */
export interface Health {
  webhookId: string;
  accepted: number;
  failed: number;
  /** Why the last of them failed. */
  failure: string | null;
}

/**
 * Counts failures in a row. After ten an endpoint rests, longer each time, so that a dead one costs next to nothing.
 * @returns the endpoints that rest now
 */
export async function noteHealth(tx: Transaction, health: Health[]): Promise<string[]> {
  if (health.length === 0) return [];
  const resting = await tx.run<{ id: string; isResting: boolean }>(sql`
    with row as (
      select * from ${rowsAs('row', health, { webhookId: 'uuid', accepted: 'int', failed: 'int', failure: 'text' })}
    ), locked as (
      select webhooks.id, row.accepted, row.failure, webhooks.failures + row.failed as failures
      from row join webhooks on webhooks.id = row."webhookId"
      where row.accepted = 0 or webhooks.failures > 0
      order by webhooks.id for no key update of webhooks
    )
    update webhooks set
      failures = case when locked.accepted > 0 then 0 else locked.failures end,
      failure = case when locked.accepted = 0 then locked.failure end,
      resting_until = case when locked.accepted = 0 and locked.failures >= ${restsAfter}::int then now() + least(
        ${firstRestSeconds}::int * power(2, least((locked.failures - ${restsAfter}::int) / 5, 20)), ${longestRestSeconds}::int
      ) * interval '1 second' end
    from locked where webhooks.id = locked.id
    returning webhooks.id, webhooks.resting_until is not null as "isResting"`);
  return resting.filter(({ isResting }) => isResting).map(({ id }) => id);
}

/**
 * Ends an endpoint, so that nothing is sent to it until an operator says so: after a 410 always, otherwise if it rests. An endpoint that
 * accepts other deliveries is not dead.
 * @returns whether it has ended now
 */
export async function endEndpoint(tx: Transaction, webhookId: string, state: 'GIVEN_UP' | 'GONE'): Promise<boolean> {
  const ended = await tx.run(sql`
    update webhooks set state = ${state}
    where id = ${webhookId}::uuid
      and (${state} = 'GONE' and state <> 'GONE' or state = 'ACTIVE' and failures >= ${restsAfter}::int)
    returning 1`);
  return ended.length > 0;
}
