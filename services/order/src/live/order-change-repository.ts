import { deleteInBatches } from '@store/shared/database/batches';
import type { Database } from '@store/shared/database/database';
import { type RawBuilder, sql } from 'kysely';
import type { DB } from '../generated/tables.ts';
import type { OrderStatus } from '../order.ts';
import type { Position, Snapshot } from './position.ts';

/** One status that an order has had. */
export interface OrderChange {
  seq: string;
  accountId: string;
  orderId: string;
  status: OrderStatus;
  changedAt: Date;
}

export type OrderChanges = ReturnType<typeof createOrderChanges>;

/** A day more than ids of events live, since clocks differ. */
const keptDays = 8;
/** Changes that are in memory at once, however many one transaction has made: some 3 MB. */
const pageSize = 5_000;

const columns = sql`seq::text, account_id as "accountId", order_id as "orderId", status, changed_at as "changedAt"`;

/**
 * Changes that the snapshot `by` sees and the snapshot `seen` does not: their transactions were in progress then, or began
 * later. Each of these is found in the index, so that what was committed beside a long transaction is not read again.
 * @param seen perhaps made up by a client, so no `pg_snapshot`, which demands more than numbers
 */
const between = (seen: Snapshot, by: Snapshot, condition: RawBuilder<boolean>) => sql`
  (
    select xid as first, xid as last
    from unnest(string_to_array(split_part(${seen}, ':', 3), ',')::xid8[]) as xid
    union all
    select split_part(${seen}, ':', 2)::xid8, pg_snapshot_xmax(${by}::pg_snapshot)
  ) as unseen
  cross join lateral (
    select * from order_changes
    where ${condition} and xid >= first and xid <= last and pg_visible_in_snapshot(xid, ${by}::pg_snapshot)
    offset 0 -- PostgreSQL reads it for each of the few, by the index, and not the whole log for all
  ) as order_changes`;

/**
 * The log of all changes. A sequence has numbers that are committed out of order, so "what comes after" is decided by
 * snapshots: what the later one sees and the earlier one does not (decisions/0033). Of one order the numbers are in order.
 */
export function createOrderChanges({ kysely }: Database<DB>) {
  return {
    /**
     * Returns the present position. A restored or promoted server has started at another time than the one whose changes it
     * may lack, and a restored database has another oid. Unlike the system identifier and the timeline, every role may read
     * them, and a copied volume differs.
     */
    async present(): Promise<Position> {
      const { rows } = await sql<Position>`
        select (extract(epoch from statement_timestamp()) * 1000)::bigint as at,
          left(encode(sha256(concat(extract(epoch from pg_postmaster_start_time()), '-', oid)::bytea), 'hex'), 16) as incarnation,
          pg_current_snapshot()::text as snapshot
        from pg_database where datname = current_database()`.execute(kysely);
      if (rows[0] === undefined) throw new Error('The database does not know itself.');
      return rows[0];
    },

    /** Yields what was committed between two positions of one incarnation, in order, a page at a time. */
    async *between(seen: Position, by: Position): AsyncGenerator<{ changes: OrderChange[]; isLast: boolean }> {
      for (let after = '0', isLast = seen.snapshot === by.snapshot; !isLast; ) {
        const { rows: changes } = await sql<OrderChange>`
          select ${columns} from ${between(seen.snapshot, by.snapshot, sql`seq > ${after}::bigint`)}
          order by order_changes.seq limit ${sql.lit(pageSize)}`.execute(kysely);
        isLast = changes.length < pageSize;
        yield { changes, isLast };
        after = changes.at(-1)?.seq ?? after;
      }
    },

    /** Returns what an account got between two positions, in order; undefined if that is more than `max`, or cannot be known. */
    async missed(accountId: string, seen: Position, by: Position, max: number): Promise<OrderChange[] | undefined> {
      if (seen.incarnation !== by.incarnation) return undefined;
      // The limit before the order: of a million changes no more is read.
      const { rows: changes } = await sql<OrderChange>`
        select ${columns}
        from (
          select order_changes.*
          from ${between(seen.snapshot, by.snapshot, sql`account_id = ${accountId}::uuid`)} limit ${max + 1}::int
        ) as missed
        order by missed.seq`.execute(kysely);
      return changes.length > max ? undefined : changes;
    },

    /** Deletes what no client needs, and what is of the future: that of another server, in a database restored from a dump. */
    async deleteOld(now: Date): Promise<number> {
      const since = new Date(now.getTime() - keptDays * 24 * 3_600_000);
      await sql`delete from order_changes where xid >= pg_snapshot_xmax(pg_current_snapshot())`.execute(kysely);
      return deleteInBatches(async (limit) => {
        // Read by its key, so that looking for nothing costs no more than a batch.
        const { numAffectedRows = 0n } = await sql`
          delete from order_changes
          using (select xid, seq, changed_at from order_changes order by xid, seq limit ${limit}) as oldest
          where order_changes.xid = oldest.xid and order_changes.seq = oldest.seq
            and oldest.changed_at < ${since}`.execute(kysely);
        return Number(numAffectedRows);
      });
    },
  };
}
