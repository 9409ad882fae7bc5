import { orderOut, orderStatuses } from '@store/shared/contracts/order';
import type { orderDemandOut } from '@store/shared/contracts/order-demand';
import type { Database } from '@store/shared/database/database';
import { createKeyset, timeColumn, uuidColumn } from '@store/shared/database/keyset';
import { type PageQuery, readCountedPage, readPage } from '@store/shared/database/read-page';
import { eventsOf } from '@store/shared/messaging/outbox/events-of';
import { parseJson } from '@store/shared/values/json';
import { type RawBuilder, sql } from 'kysely';
import type { z } from 'zod';
import { partsOf } from './all-orders-repository.ts';
import type { DB } from './generated/tables.ts';
import { notesOf } from './order-note-repository.ts';
import { orderColumns } from './order-repository.ts';

const byTime = { createdAt: timeColumn('created_at', 'MS'), id: uuidColumn('id') };

/** The index of PENDING orders has this order. */
const oldestFirst = createKeyset('stuck-orders', byTime, 'id')([{ field: 'createdAt', direction: 'asc' }]);
const ofAccount = createKeyset('account-orders', byTime, 'id')([{ field: 'createdAt', direction: 'asc' }]);

/** Selects the ids of the first orders of an account. */
const idsOf = (accountId: string, limit: number, condition: RawBuilder<boolean> = sql<boolean>`true`) => {
  const parts = partsOf(accountId, orderStatuses).map(
    (part) => sql`(
      select id, created_at from orders where ${part} and ${condition} order by created_at, id limit ${limit}::int
    )`,
  );
  return sql<string>`(
    select id from (${sql.join(parts, sql` union all `)}) as parts order by created_at, id limit ${limit}::int
  )`;
};

export type OrderRecordRepository = ReturnType<typeof createOrderRecordRepository>;

/** Reads as lists do: what operators ask never holds the connections of customers. */
export function createOrderRecordRepository({ lists: { kysely } }: Database<DB>) {
  const select = kysely.selectFrom('orders').select([...orderColumns, 'deleted_at as deletedAt']);
  return {
    /** An order of any customer, whether or not its owner has deleted it. */
    async find(orderId: string) {
      const row = await select.where('id', '=', orderId).executeTakeFirst();
      if (row === undefined) return undefined;
      const [events, notes] = await Promise.all([eventsOf(kysely, orderId), notesOf(kysely, orderId)]);
      return { ...row, events, notes };
    },

    /** Returns items and totals, as inventory needs them. */
    async demandsOf(orderIds: string[]): Promise<z.input<typeof orderDemandOut>[]> {
      const rows = await select.where('id', '=', sql<string>`any(${orderIds}::uuid[])`).execute();
      return rows.map(({ id, json }) => {
        const { items, total } = orderOut.parse(parseJson(json));
        return { orderId: id, items: items.map(({ productId, quantity }) => ({ productId, quantity })), total };
      });
    },

    /** Orders that were placed before a time and are still PENDING, the oldest first. */
    stuck(placedBefore: Date, page: PageQuery) {
      const late = select.where('status', '=', sql.lit('PENDING')).where('created_at', '<', placedBefore);
      return readCountedPage(kysely, late, oldestFirst, page);
    },

    /** A page of all orders of an account, the oldest first, deleted ones included. */
    pageOf(accountId: string, page: PageQuery) {
      const behind = page.after === undefined ? undefined : ofAccount.after(page.after);
      const ids = idsOf(accountId, page.size + 1, behind);
      return readPage(select.where('id', 'in', ids), ofAccount, page);
    },
  };
}
