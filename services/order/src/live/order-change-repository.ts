import { deleteInBatches } from '@store/shared/database/batches';
import { empty, type Statements, sql } from '@store/shared/database/sql';
import { dayMs } from '@store/shared/values/time';
import type { OrderStatus } from '../order.ts';
import type { Position } from './position.ts';

/** A status that an order has had. */
export interface OrderChange {
  accountId: string;
  orderId: string;
  status: OrderStatus;
  changedAt: Date;
}

export type OrderChanges = ReturnType<typeof createOrderChanges>;

/** A day longer than ids of events are valid, because clocks differ. */
const keptDays = 8;

/**
 * Names one start of one database, in a statement on `pg_database`. A restored or promoted server, which may lack changes, has another
 * start time than its predecessor, and a restored database has another oid. Unlike the system identifier and the timeline, every role may
 * read both, and they differ for a copied volume.
 */
export const incarnation = sql`
  left(encode(sha256(concat(extract(epoch from pg_postmaster_start_time()), '-', oid)::bytea), 'hex'), 16)`;

/** The log of all changes (decisions/0033). */
export function createOrderChanges({ run }: Statements) {
  return {
    /** Returns the current position. */
    async present(): Promise<Position> {
      const [position] = await run<Position>(sql`
        select (extract(epoch from statement_timestamp()) * 1000)::bigint as at,
          ${incarnation} as incarnation,
          pg_current_snapshot()::text as snapshot
        from pg_database where datname = current_database()`);
      if (position === undefined) throw new Error('pg_database has no row for the current database.');
      return position;
    },

    /**
     * Returns the changes of all accounts or of one account that were committed between two positions. The later snapshot sees
     * them, and the earlier snapshot does not, because their transaction was in progress or had not begun. The changes of an
     * order are in sequence.
     * @returns undefined if there are more than `max`, or the changes cannot be known
     */
    async between(
      seen: Position,
      until: Position,
      max: number,
      accountId?: string,
    ): Promise<OrderChange[] | undefined> {
      if (seen.incarnation !== until.incarnation) return undefined;
      if (seen.snapshot === until.snapshot) return [];
      const ofAccount = accountId === undefined ? empty : sql`account_id = ${accountId}::uuid and`;
      // `offset 0` makes PostgreSQL read each range by the index, so changes committed during a long transaction are not read
      // again. The limit comes before `order by`, so that not all of a million changes are read.
      const rows = await run<OrderChange>(sql`
        select account_id as "accountId", order_id as "orderId", status, changed_at as "changedAt"
        from (
          select change.*
          from (
            select xid as first, xid as last from pg_snapshot_xip(${seen.snapshot}::pg_snapshot) as xid
            union all
            select pg_snapshot_xmax(${seen.snapshot}::pg_snapshot), pg_snapshot_xmax(${until.snapshot}::pg_snapshot)
          ) as unseen
          cross join lateral (
            select * from order_changes
            where ${ofAccount} xid between first and last and pg_visible_in_snapshot(xid, ${until.snapshot}::pg_snapshot)
            offset 0
          ) as change
          limit ${max + 1}::int
        ) as found
        order by seq`);
      return rows.length > max ? undefined : rows;
    },

    /** Deletes changes that no client needs, and changes with a future transaction id, which come from a dump of another server. */
    async deleteOld(now: Date): Promise<number> {
      const since = new Date(now.getTime() - keptDays * dayMs);
      await run(sql`delete from order_changes where xid >= pg_snapshot_xmax(pg_current_snapshot())`);
      // Reads by the key, so that a search that finds nothing costs no more than a batch.
      return deleteInBatches(
        run,
        (limit) => sql`
          delete from order_changes
          using (select xid, seq, changed_at from order_changes order by xid, seq limit ${limit}) as oldest
          where order_changes.xid = oldest.xid and order_changes.seq = oldest.seq
            and oldest.changed_at < ${since}`,
      );
    },
  };
}
