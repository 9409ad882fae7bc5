import { orderOut, orderStatuses } from '@store/shared/contracts/order';
import type { orderDemandOut } from '@store/shared/contracts/order-demand';
import type { Database } from '@store/shared/database/database';
import { createKeyset, timeColumn, uuidColumn } from '@store/shared/database/keyset';
import { type PageQuery, readCountedPage, readPage } from '@store/shared/database/read-page';
import { join, type Sql, sql } from '@store/shared/database/sql';
import { eventsOf } from '@store/shared/messaging/outbox/events-of';
import { parseJson } from '@store/shared/values/json';
import type { z } from 'zod';
import { partsOf } from './all-orders-repository.ts';
import type { PrismaClient } from './generated/client.ts';
import { notesOf } from './order-note-repository.ts';
import { type LockedOrder, orderColumns } from './order-repository.ts';

const byTime = { createdAt: timeColumn('created_at', 'MS'), id: uuidColumn('id') };

/** The index of PENDING orders has this order. */
const oldestFirst = createKeyset('stuck-orders', byTime, 'id')([{ field: 'createdAt', direction: 'asc' }]);
const ofAccount = createKeyset('account-orders', byTime, 'id')([{ field: 'createdAt', direction: 'asc' }]);

/** Selects the ids of the first orders of an account. */
const idsOf = (accountId: string, limit: number, condition: Sql = sql`true`) => {
  const parts = partsOf(accountId, orderStatuses).map(
    (part) => sql`(
      select id, created_at from orders where ${part} and ${condition} order by created_at, id limit ${limit}::int
    )`,
  );
  return sql`(
    select id from (${join(parts, ' union all ')}) as parts order by created_at, id limit ${limit}::int
  )`;
};

export type OrderRecordRepository = ReturnType<typeof createOrderRecordRepository>;

/** Reads as lists do: what operators ask never holds the connections of customers. */
export function createOrderRecordRepository({ prisma, lists }: Database<PrismaClient>) {
  const { run } = lists;
  return {
    /** An order of any customer, whether or not its owner has deleted it. */
    async find(orderId: string) {
      const [order] = await run<RecordRow>(sql`select ${columns} from orders where id = ${orderId}::uuid`);
      if (order === undefined) return undefined;
      const [events, notes] = await Promise.all([eventsOf(lists, orderId), notesOf(prisma, orderId)]);
      return { ...order, events, notes };
    },

    /** Returns items and totals, as inventory needs them. */
    async demandsOf(orderIds: string[]): Promise<z.input<typeof orderDemandOut>[]> {
      const rows = await run<RecordRow>(sql`select ${columns} from orders where id = any(${orderIds}::uuid[])`);
      return rows.map(({ id, json }) => {
        const { items, total } = orderOut.parse(parseJson(json));
        return { orderId: id, items: items.map(({ productId, quantity }) => ({ productId, quantity })), total };
      });
    },

    /** Orders that were placed before a time and are still PENDING, the oldest first. */
    stuck(placedBefore: Date, page: PageQuery) {
      const where = [sql`status = 'PENDING'`, sql`created_at < ${placedBefore}::timestamptz`];
      return readCountedPage<RecordRow>(run, { select: columns, from: sql`orders`, where }, oldestFirst, page);
    },

    /** A page of all orders of an account, the oldest first, deleted ones included. */
    pageOf(accountId: string, page: PageQuery) {
      const behind = page.after === undefined ? undefined : ofAccount.after(page.after);
      const where = [sql`id in ${idsOf(accountId, page.size + 1, behind)}`];
      return readPage<RecordRow>(run, { select: columns, from: sql`orders`, where }, ofAccount, page);
    },
  };
}

type RecordRow = LockedOrder & { deletedAt: Date | null };
const columns = sql`${orderColumns}, deleted_at as "deletedAt"`;
