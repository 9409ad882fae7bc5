import { recordChange } from '@store/shared/database/audit';
import type { Database } from '@store/shared/database/database';
import { DomainError, found } from '@store/shared/values/errors';
import type { PrismaClient } from '../generated/client.ts';
import { lockOrder } from '../order-repository.ts';
import { countNotes, findNote, insertNote, isAccountDeleted } from './order-note-repository.ts';

/** Per order, so that its page stays readable. */
const maxNotes = 100;

export type OrderNotes = ReturnType<typeof createOrderNotes>;

/** Notes of operators on orders (contract 4.14). */
export const createOrderNotes = ({ transactionOf }: Pick<Database<PrismaClient>, 'transactionOf'>) => ({
  /**
   * Leaves a note. Idempotent. The audit trail has only its id, because the text is deleted with the account.
   * @throws DomainError notFound, conflict
   */
  leave: (actor: string, orderId: string, { id, text }: { id: string; text: string }): Promise<void> =>
    transactionOf(actor, async (tx) => {
      const order = found(await lockOrder(tx, orderId), `order ${orderId}`);
      if (await isAccountDeleted(tx, order))
        throw new DomainError('conflict', 'The account of this order has been deleted, so it takes no more notes.');
      const before = await findNote(tx, id);
      if (before?.orderId === orderId && before.text === text) return;
      if (before === null && (await countNotes(tx, orderId)) >= maxNotes)
        throw new DomainError('conflict', `The order has ${maxNotes} notes, which is the maximum.`);
      const isNew = before === null && (await insertNote(tx, order, { id, kind: 'NOTE', actor, text }));
      if (!isNew) throw new DomainError('conflict', `Another note has the id ${id}.`);
      recordChange(tx, { actor, kind: 'note', subject: orderId, after: JSON.stringify({ note: id }) });
    }),
});
