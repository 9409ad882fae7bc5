import { orderStatuses } from '@store/shared/contracts/order';
import type { orderDemandOut, shippedOrderOut } from '@store/shared/contracts/order-demand';
import type { OrderNoteOut } from '@store/shared/contracts/order-record';
import type { Database } from '@store/shared/database/database';
import { createKeyset, timeColumn, uuidColumn } from '@store/shared/database/keyset';
import { type PageQuery, readCountedPage, readPage } from '@store/shared/database/read-page';
import { join, type Sql, sql } from '@store/shared/database/sql';
import { eventsOf } from '@store/shared/messaging/outbox/events-of';
import type { z } from 'zod';
import type { PrismaClient } from '../generated/client.ts';
import { rangeConditions } from '../lists/all-orders-repository.ts';
import { orderForOthersAsJson, orderRecordAsJson } from '../lists/order-json-repository.ts';
import { type StoredOrder, toOrderOut } from '../order.ts';
import { type OrderRow, orderColumns } from '../order-repository.ts';
import { groupName } from '../saga/consumer-group.ts';

const byTime = { createdAt: timeColumn('created_at', 'MS'), id: uuidColumn('id') };

/** In the order of the index of PENDING orders. */
const oldestFirst = createKeyset('stuck-orders', byTime, 'id')([{ field: 'createdAt', direction: 'asc' }]);
const ofAccount = createKeyset('account-orders', byTime, 'id')([{ field: 'createdAt', direction: 'asc' }]);

/** Selects the ids of the first orders of an account. */
const idsOf = (accountId: string, limit: number, condition: Sql = sql`true`) => {
  const parts = rangeConditions(accountId, orderStatuses).map(
    (part) => sql`(
      select id, created_at from orders where ${part} and ${condition} order by created_at, id limit ${limit}::int
    )`,
  );
  return sql`(
    select id from (${join(parts, ' union all ')}) as parts order by created_at, id limit ${limit}::int
  )`;
};

export type OrderRecordRepository = ReturnType<typeof createOrderRecordRepository>;

/** Reads lists on the connections that serve lists of customers, so that operators never hold the connections of writes. */
export function createOrderRecordRepository({ prisma, lists }: Database<PrismaClient>) {
  const { run } = lists;
  /** @returns those of the events that the service has not followed */
  async function unprocessed(eventIds: string[]): Promise<string[]> {
    const rows = await run<{ id: string }>(sql`
      select id::text as id from unnest(${eventIds}::uuid[]) as id
      where not exists (select from processed_events where consumer_group = ${groupName} and event_id = id)`);
    return rows.map(({ id }) => id);
  }

  return {
    /** Finds any customer's order, even if the owner has deleted it. */
    async find(id: string) {
      const [row, events] = await Promise.all([
        prisma.order.findUnique({
          where: { id },
          include: {
            items: { orderBy: { position: 'asc' } },
            details: true,
            paymentDetails: { select: { actionUrl: true } },
            shipment: true,
            notes: { orderBy: [{ createdAt: 'asc' }, { id: 'asc' }] },
          },
        }),
        eventsOf(lists, id),
      ]);
      if (row === null) return undefined;
      const notes = row.notes.map(({ id, kind, actor, text, createdAt }): OrderNoteOut => {
        return { id, kind, actor, text, createdAt: createdAt.toISOString() };
      });
      // This service wrote the status and the JSON columns, so their types are known.
      const actionUrl = row.paymentDetails?.actionUrl ?? null;
      return { ...(row as typeof row & StoredOrder), actionUrl, notes, events };
    },

    /** Returns items and totals for inventory. */
    async demandsOf(orderIds: string[]): Promise<z.input<typeof orderDemandOut>[]> {
      const orders = await run<OrderRow>(sql`select ${orderColumns} from orders where id = any(${orderIds}::uuid[])`);
      return orders.map((order) => {
        const { id, items, total } = toOrderOut(order);
        return { orderId: id, items: items.map(({ productId, quantity }) => ({ productId, quantity })), total };
      });
    },

    /** The lines of any customer's order. */
    async linesOf(orderId: string) {
      const [order] = await run<OrderRow>(sql`select ${orderColumns} from orders where id = ${orderId}::uuid`);
      return order && toOrderOut(order).items;
    },

    /** Those of the orders that were shipped, deleted ones included. */
    async shippedOf(ids: string[]): Promise<z.input<typeof shippedOrderOut>[]> {
      const orders = await prisma.order.findMany({
        where: { id: { in: ids }, shippedAt: { not: null } },
        select: { id: true, shippedAt: true },
      });
      return orders.flatMap(({ id, shippedAt }) =>
        shippedAt === null ? [] : [{ orderId: id, shippedAt: shippedAt.toISOString() }],
      );
    },

    /**
     * Orders in any sequence, deleted ones included, with the ids of those events that this service has not followed yet, as JSON. The
     * ids are read first, so an order is never behind an event that is not named.
     */
    async shown(orderIds: string[], eventIds: string[]): Promise<string> {
      const behind = eventIds.length > 0 ? await unprocessed(eventIds) : [];
      const orders = await run<{ json: string }>(sql`
        select ${orderForOthersAsJson} as json from orders where id = any(${orderIds}::uuid[])`);
      return `{"orders":[${orders.map(({ json }) => json)}],"behind":${JSON.stringify(behind)}}`;
    },

    /** Orders that were placed before a time and are still PENDING, oldest first. */
    stuck(placedBefore: Date, page: PageQuery) {
      const where = [sql`status = 'PENDING'`, sql`created_at < ${placedBefore}::timestamptz`];
      const late = { select: sql`${orderForOthersAsJson} as json`, from: sql`orders`, where };
      return readCountedPage<{ json: string }>(run, late, oldestFirst, page);
    },

    /** A page of an account's orders, oldest first, including deleted orders. */
    pageOf(accountId: string, page: PageQuery) {
      const behind = page.after === undefined ? undefined : ofAccount.after(page.after);
      const where = [sql`id in ${idsOf(accountId, page.size + 1, behind)}`];
      const own = { select: sql`${orderRecordAsJson} as json`, from: sql`orders`, where };
      return readPage<{ json: string }>(run, own, ofAccount, page);
    },
  };
}
