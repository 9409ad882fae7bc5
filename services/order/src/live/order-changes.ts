import { deleteInBatches } from '@store/shared/database/batches';
import type { Database } from '@store/shared/database/database';
import type { Placeholders } from '@store/shared/database/prepared-statements';
import { sql } from 'kysely';
import type { DB } from '../generated/tables.ts';
import type { OrderStatus } from '../order.ts';
import type { Cursor, Snapshot } from './cursor.ts';

/** One status that an order has had. */
export interface OrderChange {
  seq: string;
  accountId: string;
  orderId: string;
  status: OrderStatus;
  changedAt: Date;
}

/** A change that a client with a cursor lacks. */
export interface MissedChange {
  change: OrderChange;
  /** The cursor of a client that has it, too. */
  at: Cursor;
}

interface Row extends OrderChange {
  snapshot: Snapshot;
}

export type OrderChanges = ReturnType<typeof createOrderChanges>;

/** A day more than cursors live, since clocks differ. */
const keptDays = 8;

const columns = sql`seq::text, account_id as "accountId", order_id as "orderId", status, changed_at as "changedAt"`;

/**
 * The log of all changes. A sequence has numbers that are committed out of order, so "what comes after" is decided by
 * snapshots: what the later one sees and the earlier one does not (decisions/0033). Of one order the numbers are in order.
 */
export function createOrderChanges({ kysely, prepare, run, lists }: Database<DB>) {
  const selectAfter = prepare(({ seen }: Placeholders<{ seen: Snapshot }>) =>
    sql<Row | { snapshot: Snapshot; seq: null }>`
      select now.snapshot::text as snapshot, ${columns}
      from (select pg_current_snapshot() as snapshot) as now
      left join order_changes
        on xid >= pg_snapshot_xmin(${seen}::pg_snapshot) and xid < pg_snapshot_xmax(now.snapshot)
        and not pg_visible_in_snapshot(xid, ${seen}::pg_snapshot)
      order by order_changes.seq`.compile(kysely),
  );

  return {
    /** The present. */
    async snapshot(): Promise<Snapshot> {
      const [row] = await run(sql<Row>`select pg_current_snapshot()::text as snapshot`.compile(kysely));
      return row?.snapshot ?? '';
    },

    /** What was committed since a snapshot, and the next one. */
    async after(seen: Snapshot): Promise<{ snapshot: Snapshot; changes: OrderChange[] }> {
      const rows = await selectAfter({ seen });
      return {
        snapshot: rows[0]?.snapshot ?? seen,
        changes: rows.filter((row): row is Row => row.seq !== null),
      };
    },

    /** What an account lacks that has a cursor, of what was committed by a snapshot. At most `limit`, in order. */
    async missed(accountId: string, cursor: Cursor, by: Snapshot, limit: number): Promise<MissedChange[]> {
      const { seen, next, seq } = cursor;
      const rows = await lists.run(
        sql<OrderChange & { inNext: boolean }>`
          select ${columns}, pg_visible_in_snapshot(xid, ${next}::pg_snapshot) as "inNext"
          from order_changes
          where account_id = ${accountId}::uuid and xid >= pg_snapshot_xmin(${seen}::pg_snapshot)
            and not pg_visible_in_snapshot(xid, ${seen}::pg_snapshot)
            and (not pg_visible_in_snapshot(xid, ${next}::pg_snapshot) or seq > ${seq}::bigint)
            and pg_visible_in_snapshot(xid, ${by}::pg_snapshot)
          order by "inNext" desc, order_changes.seq
          limit ${limit}::int`.compile(kysely),
      );
      return rows.map(({ inNext, ...change }) => ({
        change,
        at: { ...(inNext ? cursor : { seen: next, next: by }), seq: change.seq },
      }));
    },

    /** Deletes what no cursor needs, and what is of the future: that of another server, in a database restored from a dump. */
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
        return { numDeletedRows: numAffectedRows };
      });
    },
  };
}
