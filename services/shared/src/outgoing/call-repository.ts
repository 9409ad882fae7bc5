import { rowsAs } from '../database/rows.ts';
import { raw, type Sql, type Statements, sql } from '../database/sql.ts';
import type { Transaction } from '../database/transaction.ts';

/** A call that this worker has claimed. A service adds columns of its own. */
export interface ClaimedCall {
  id: string;
  /** Who is called, or what for: a lane that hangs delays no other. */
  lane: string;
  /** Including this one. 1 means that nobody made the call before; more, that its earlier outcome is unknown or was a failure. */
  attempts: number;
}

export interface CallTable<Call> {
  /** Has `id uuid`, `lane text`, `attempts int`, the column of `due`, and an index on (lane, due) where due is not null. */
  table: string;
  /** A column of type timestamptz; default `due_at`. */
  due?: string;
  /** Further columns that the service reads, such as `call.data`. */
  columns: Sql;
  /** Sends the statement that claims calls: only here is the type of its rows known. */
  claim(database: Statements, statement: Sql): Promise<Call[]>;
}

interface Room {
  /** How many more calls this process may have in flight now, by lane. */
  room: ReadonlyMap<string, number>;
  /** The same for each other lane. */
  roomOfOthers: number;
  leaseMs: number;
}

/**
 * Claims and settles the rows of a table of calls. Its due time is when a call is due, while a worker makes it the end of its lease, and
 * null once there is nothing more to do. `attempts` says which claim is the last one: each adds one. All times are those of the
 * database's clock, so that workers need not agree on the time.
 */
export function createCallRepository<Call extends ClaimedCall>(
  database: Statements,
  { table, due = 'due_at', columns, claim }: CallTable<Call>,
) {
  const calls = raw(table);
  const dueAt = raw(due);
  return {
    /**
     * Claims due calls, each for one worker, as long as its lane has room. Once this has returned, the calls count as made: whoever
     * claims one after the end of its lease must find out what became of it.
     */
    claim({ room, roomOfOthers, leaseMs }: Room): Promise<Call[]> {
      const known = Array.from(room, ([lane, count]) => ({ lane, count }));
      // `lanes` jumps from one lane to the next in the index, however many calls wait in each.
      return claim(
        database,
        sql`
        with recursive lanes as (
          (select lane from ${calls} where ${dueAt} is not null order by lane limit 1)
          union all
          select (select lane from ${calls} where ${dueAt} is not null and lane > lanes.lane order by lane limit 1)
          from lanes where lanes.lane is not null
        ), due_calls as (
          select call.id
          from lanes
          left join ${rowsAs('known', known, { lane: 'text', count: 'int' })} on known.lane = lanes.lane
          cross join lateral (
            select id from ${calls} as waiting
            where waiting.lane = lanes.lane and waiting.${dueAt} <= now()
            order by waiting.${dueAt}
            limit coalesce(known.count, ${roomOfOthers}::int)
            for update skip locked
          ) as call
        )
        update ${calls} as call
        set ${dueAt} = now() + ${leaseMs}::int * interval '1 ms', attempts = call.attempts + 1
        from due_calls where call.id = due_calls.id
        returning call.id, call.lane, call.attempts, ${columns}`,
      );
    },

    /** Locks those calls that nobody has claimed since. @returns the number of attempts of each, by id */
    async lockOwn(tx: Transaction, claimed: ClaimedCall[]): Promise<Map<string, number>> {
      const own = await tx.run<{ id: string; attempts: number }>(sql`
        select call.id, call.attempts from ${calls} as call
        join ${rowsAs('claimed', claimed, { id: 'uuid', attempts: 'int' })} using (id, attempts)
        where call.${dueAt} is not null
        order by call.id
        for update of call`);
      return new Map(own.map(({ id, attempts }) => [id, attempts]));
    },

    /** @param next when each of the locked calls is due again; undefined: never */
    release(tx: Transaction, next: { id: string; inMs: number | undefined }[]): void {
      tx.send(sql`
        update ${calls} as call set ${dueAt} = now() + next."inMs" * interval '1 ms'
        from ${rowsAs('next', next, { id: 'uuid', inMs: 'int' })}
        where call.id = next.id`);
    },
  };
}
