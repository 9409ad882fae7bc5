import type { OrderNoteOut } from '@store/shared/contracts/order-record';
import { isoTime } from '@store/shared/database/keyset';
import { type QueryExecutorProvider, sql, type Transaction } from 'kysely';
import type { DB } from './generated/tables.ts';
import type { LockedOrder } from './order-repository.ts';

interface NewNote {
  id: string;
  /** CANCELLATION: why an operator has cancelled the order. */
  kind: 'NOTE' | 'CANCELLATION';
  actor: string;
  text: string;
}

/** Leaves a note on an order that is locked. @returns false if there is a note with this id */
export async function insertNote(tx: Transaction<DB>, order: LockedOrder, note: NewNote): Promise<boolean> {
  const { numInsertedOrUpdatedRows = 0n } = await tx
    .insertInto('order_notes')
    .values({ ...note, order_id: order.id, account_id: order.accountId })
    .onConflict((conflict) => conflict.doNothing())
    .executeTakeFirstOrThrow();
  return numInsertedOrUpdatedRows > 0n;
}

/** Tells whether the account that has placed an order is deleted: then nothing is written about it any more. */
export async function isAccountDeleted(tx: Transaction<DB>, { accountId }: LockedOrder): Promise<boolean> {
  const deleted = tx.selectFrom('deleted_accounts').select('account_id').where('account_id', '=', accountId);
  return (await deleted.executeTakeFirst()) !== undefined;
}

/** Finds a note by its id, on whichever order. */
export const findNote = (tx: Transaction<DB>, id: string) =>
  tx.selectFrom('order_notes').select(['order_id as orderId', 'text']).where('id', '=', id).executeTakeFirst();

export async function countNotes(tx: Transaction<DB>, orderId: string): Promise<number> {
  const { count } = await tx
    .selectFrom('order_notes')
    .select(sql<number>`count(*)::int`.as('count'))
    .where('order_id', '=', orderId)
    .executeTakeFirstOrThrow();
  return count;
}

/** The notes on an order, the oldest first. */
export async function notesOf(on: QueryExecutorProvider, orderId: string): Promise<OrderNoteOut[]> {
  const { rows } = await sql<OrderNoteOut>`
    select id::text, kind, actor, text, ${sql.raw(isoTime('created_at', 'MS'))} as "createdAt"
    from order_notes where order_id = ${orderId}::uuid
    order by created_at, id`.execute(on);
  return rows;
}
