import { deleteInBatches } from '@store/shared/database/batches';
import { empty, type Statements, sql } from '@store/shared/database/sql';
import { dayMs } from '@store/shared/values/time';
import type { OrderStatus } from '../order.ts';
import type { Position } from './position.ts';

/** One status that an order has had. */
export interface OrderChange {
  accountId: string;
  orderId: string;
  status: OrderStatus;
  changedAt: Date;
}

export type OrderChanges = ReturnType<typeof createOrderChanges>;

/** A day more than ids of events live, since clocks differ. */
const keptDays = 8;

/** The log of all changes (decisions/0033). */
export function createOrderChanges({ run }: Statements) {
  return {
    /**
     * Returns the present position. A restored or promoted server has started at another time than the one whose changes it
     * may lack, and a restored database has another oid. Unlike the system identifier and the timeline, every role may read
     * them, and a copied volume differs.
     */
    async present(): Promise<Position> {
      const [position] = await run<Position>(sql`
        select (extract(epoch from statement_timestamp()) * 1000)::bigint as at,
          left(encode(sha256(concat(extract(epoch from pg_postmaster_start_time()), '-', oid)::bytea), 'hex'), 16) as incarnation,
          pg_current_snapshot()::text as snapshot
        from pg_database where datname = current_database()`);
      if (position === undefined) throw new Error('pg_database has no row for the current database.');
      return position;
    },

    /**
     * Returns what was committed between two positions, of all accounts or of one: what the later snapshot sees, and the earlier
     * one did not, since it was in progress then or began later. Of one order the changes are in order.
     * @returns undefined if that is more than `max`, or cannot be known
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
      // Each range by the index, which `offset 0` makes PostgreSQL do: what was committed beside a long transaction is not read
      // again. The limit before the order: of a million changes no more is read.
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

    /** Deletes what no client needs, and changes of a later transaction than any here: a dump of another server brought them. */
    async deleteOld(now: Date): Promise<number> {
      const since = new Date(now.getTime() - keptDays * dayMs);
      await run(sql`delete from order_changes where xid >= pg_snapshot_xmax(pg_current_snapshot())`);
      // Read by its key, so that looking for nothing costs no more than a batch.
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
