import { recordChange } from '@store/shared/database/audit';
import type { Database } from '@store/shared/database/database';
import { DomainError, found } from '@store/shared/values/errors';
import type { PrismaClient } from '../../generated/client.ts';
import { copyNotification, findOrderMessage } from './notification-repository.ts';

interface ResendRequest {
  actor: string;
  /** Of the message that is sent again. */
  id: string;
  /** Chosen by whoever asks, so that the same question twice is one mail. */
  copyId: string;
}

export type Resend = ReturnType<typeof resendWith>;

/**
 * Has a message about an order mailed again: as another message, with an id, limits and attempts of its own, since mailboxes drop
 * what has the id of one that they have.
 * @param sendsMail whether there is a mail server
 */
export const resendWith =
  ({ transactionOf }: Pick<Database<PrismaClient>, 'transactionOf'>, sendsMail: boolean) =>
  /** @throws DomainError notFound, conflict */
  ({ actor, id, copyId }: ResendRequest): Promise<void> =>
    transactionOf(actor, async (tx) => {
      if (!sendsMail) throw new DomainError('conflict', 'No mail server is set, so that no mail is sent.');
      const { orderId, kind } = found(await findOrderMessage(tx, id), `message ${id} about an order`);
      const copy = await findOrderMessage(tx, copyId);
      if (copy !== undefined) {
        if (copyId !== id && copy.orderId === orderId && copy.kind === kind) return;
        throw new DomainError('conflict', `Another message has the id ${copyId}.`);
      }
      await copyNotification(tx, id, copyId);
      await recordChange(tx, { actor, kind: 'mail', subject: orderId, after: JSON.stringify({ kind, resent: id }) });
    });
