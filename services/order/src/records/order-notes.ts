import { recordChange } from '@store/shared/database/audit';
import type { Database } from '@store/shared/database/database';
import { DomainError, found } from '@store/shared/values/errors';
import type { PrismaClient } from '../generated/client.ts';
import { lockOrder } from '../order-repository.ts';
import { countNotes, findNote, insertNote, isAccountDeleted } from './order-note-repository.ts';

/** Of an order, so that its page stays readable. */
const maxNotes = 100;

export type OrderNotes = ReturnType<typeof createOrderNotes>;

/** What operators write about orders (contract 4.14). */
export const createOrderNotes = ({ transactionOf }: Pick<Database<PrismaClient>, 'transactionOf'>) => ({
  /**
   * Leaves a note, once, however often it is sent. The audit trail has its id alone: the text goes with the account.
   * @throws DomainError notFound, conflict
   */
  leave: (actor: string, orderId: string, { id, text }: { id: string; text: string }): Promise<void> =>
    transactionOf(actor, async (tx) => {
      const order = found(await lockOrder(tx, orderId), `order ${orderId}`);
      if (await isAccountDeleted(tx, order))
        throw new DomainError('conflict', 'The account of this order is deleted, so nothing more is written about it.');
      const before = await findNote(tx, id);
      if (before?.orderId === orderId && before.text === text) return;
      if (before === null && (await countNotes(tx, orderId)) >= maxNotes)
        throw new DomainError('conflict', `The order has ${maxNotes} notes, and takes no more.`);
      const isNew = before === null && (await insertNote(tx, order, { id, kind: 'NOTE', actor, text }));
      if (!isNew) throw new DomainError('conflict', `Another note has the id ${id}.`);
      await recordChange(tx, { actor, kind: 'note', subject: orderId, after: JSON.stringify({ note: id }) });
    }),
});
