import type { Database } from '@store/shared/database/database';
import { allOf } from '@store/shared/database/read-page';
import { type Sql, type Statements, sql } from '@store/shared/database/sql';
import type { PrismaClient } from '../generated/client.ts';
import { orderRecordAsJson } from '../lists/order-json-repository.ts';
import { incarnation } from '../live/order-change-repository.ts';
import type { OrderStatus } from '../order.ts';
import { type FeedPosition, firstPosition, positionAfter } from './feed-position.ts';

export interface ChangedOrdersQuery {
  limit: number;
  status?: OrderStatus | undefined;
  createdFrom?: Date | undefined;
}

/**
 * Orders that are looked at for a page, of which few may have the requested status. 20 ms; with more, a page could take longer than the
 * time-out of lists and never be answered.
 */
const maxLookedAt = 5_000;

interface Row {
  incarnation: string;
  xmin: string;
  /** Null if there are no further orders. */
  id: string | null;
  xid: string | null;
  /** Null for the last order that was looked at, if it was not requested. */
  json: string | null;
  isMore: boolean;
}

export type ChangedOrders = ReturnType<typeof createChangedOrders>;

/** The orders of all customers by their last change (decisions/0041). */
export function createChangedOrders({ lists }: Pick<Database<PrismaClient>, 'lists'>) {
  return {
    /**
     * Reads the orders whose last change comes after a position. Positions are by transaction, as triggers note it with each change
     * (`changed_xid`), because transactions commit out of order: of a transaction that was in progress, this statement sees no order,
     * but knows that it was there.
     * @param seen undefined: from the beginning
     * @returns undefined if the position is of another incarnation of the database, which may lack changes that were read
     */
    async page(
      accountId: string,
      seen: (FeedPosition & { incarnation: string }) | undefined,
      { limit, status, createdFrom }: ChangedOrdersQuery,
    ) {
      const from = seen ?? firstPosition;
      const conditions: Sql[] = [];
      if (status !== undefined) conditions.push(sql`status = ${status}`);
      if (createdFrom !== undefined) conditions.push(sql`created_at >= ${createdFrom}::timestamptz`);
      const lookAt = conditions.length === 0 ? limit + 1 : maxLookedAt;
      const statement = sql`
        with present as materialized (
          select ${incarnation} as incarnation, pg_snapshot_xmin(pg_current_snapshot())::text as xmin
          from pg_database where datname = current_database()
        ),
        looked_at as materialized (
          select id, changed_xid, ${allOf(conditions)} as fits, row_number() over (order by changed_xid, id) as n
          from (
            select id, changed_xid, status, created_at from orders
            where (changed_xid, id) > (${from.xid}::text::xid8, ${from.id}::uuid)
            order by changed_xid, id limit ${lookAt}::int
          ) as following
        ),
        counted as materialized (
          select id, changed_xid, fits, n, count(*) filter (where fits) over (order by n) as found from looked_at
        ),
        page as materialized (
          select id, changed_xid, fits, n from counted where found <= ${limit}::int
        )
        select present.incarnation, present.xmin, page.id, page.changed_xid::text as xid,
          case when page.fits then (select ${orderRecordAsJson} from orders where orders.id = page.id) end as json,
          (select count(*) from looked_at) = ${lookAt}::int
            or coalesce((select max(n) from looked_at) > (select max(n) from page), false) as "isMore"
        from present left join page on page.fits or page.n = (select max(n) from page)
        order by page.n`;
      // Planned for its values, so that the beginning of the index is read, however many orders follow.
      const rows = await lists.inTurn(accountId, () => lists.runOnce<Row>(statement));
      const [first] = rows;
      if (first === undefined) throw new Error('pg_database has no row for the current database.');
      if (seen !== undefined && seen.incarnation !== first.incarnation) return undefined;
      const end = rows.at(-1);
      const last = end?.id && end.xid ? { xid: end.xid, id: end.id } : undefined;
      return {
        orders: rows.flatMap(({ json }) => json ?? []),
        incarnation: first.incarnation,
        isMore: first.isMore,
        position: positionAfter(from, { last, xmin: first.xmin, isMore: first.isMore }),
      };
    },
  };
}

/**
 * Marks orders as changed that have a transaction id of the future, which come from a dump of another server. Until then they are read
 * again and again, but never missed. @returns whether there may be more
 */
export async function renewFutureXids({ run }: Statements): Promise<boolean> {
  const rows = await run(sql`
    update orders set changed_xid = pg_current_xact_id()
    from (
      select id from orders where changed_xid >= pg_snapshot_xmax(pg_current_snapshot())
      order by changed_xid desc limit ${batchSize}::int for update skip locked
    ) as future
    where orders.id = future.id
    returning 1`);
  return rows.length === batchSize;
}

const batchSize = 1_000;
