import type { TransactionOf } from '@store/shared/database/transaction';
import type { PrismaClient } from '../generated/client.ts';
import type { StoredOrder } from '../order.ts';

interface NewNote {
  id: string;
  /** CANCELLATION: why an operator cancelled the order. */
  kind: 'NOTE' | 'CANCELLATION';
  actor: string;
  text: string;
}

/** Adds a note to a locked order. @returns false if there is a note with this id */
export async function insertNote(
  tx: TransactionOf<PrismaClient>,
  { id: orderId, accountId }: StoredOrder,
  note: NewNote,
): Promise<boolean> {
  const { count } = await tx.orderNote.createMany({ data: [{ ...note, orderId, accountId }], skipDuplicates: true });
  return count > 0;
}

/** Whether the account that placed an order is deleted. If so, no notes may be written. */
export const isAccountDeleted = async (tx: TransactionOf<PrismaClient>, { accountId }: StoredOrder): Promise<boolean> =>
  (await tx.deletedAccount.count({ where: { accountId } })) > 0;

/** Finds a note of any order by its id. */
export const findNote = (tx: TransactionOf<PrismaClient>, id: string) =>
  tx.orderNote.findUnique({ where: { id }, select: { orderId: true, text: true } });

export const countNotes = (tx: TransactionOf<PrismaClient>, orderId: string): Promise<number> =>
  tx.orderNote.count({ where: { orderId } });
