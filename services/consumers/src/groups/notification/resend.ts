import { recordChange } from '@store/shared/database/audit';
import type { Database } from '@store/shared/database/database';
import { DomainError, found } from '@store/shared/values/errors';
import type { PrismaClient } from '../../generated/client.ts';
import { copyNotification, findOrderMessage } from './notification-repository.ts';

interface ResendRequest {
  actor: string;
  /** The message to be sent again. */
  id: string;
  /** Chosen by the caller, so that a repeated request sends one mail. */
  copyId: string;
}

export type Resend = ReturnType<typeof resendWith>;

/**
 * Mails a message about an order again, as a copy with a new id and new attempts that counts against the limit. Mailboxes
 * drop a mail whose id they already have.
 * @param sendsMail whether there is a mail server
 */
export const resendWith =
  ({ transactionOf }: Pick<Database<PrismaClient>, 'transactionOf'>, sendsMail: boolean) =>
  /** @throws DomainError notFound, conflict */
  ({ actor, id, copyId }: ResendRequest): Promise<void> =>
    transactionOf(actor, async (tx) => {
      if (!sendsMail) throw new DomainError('conflict', 'No mail server is set, so no mail can be sent.');
      const { orderId, kind } = found(await findOrderMessage(tx, id), `message ${id} about an order`);
      const copy = await findOrderMessage(tx, copyId);
      if (copy !== undefined) {
        if (copyId !== id && copy.orderId === orderId && copy.kind === kind) return;
        throw new DomainError('conflict', `Another message has the id ${copyId}.`);
      }
      copyNotification(tx, id, copyId);
      recordChange(tx, { actor, kind: 'mail', subject: orderId, after: JSON.stringify({ kind, resent: id }) });
    });
