import type { Database } from '@store/shared/database/database';
import { wakeOutgoing } from '@store/shared/outgoing/outgoing';
import { DomainError } from '@store/shared/values/errors';
import { decideAction } from './built-in-action-repository.ts';
import type { PrismaClient } from './generated/client.ts';
import { queueName, stepsOn } from './step-repository.ts';

export type Decide = ReturnType<typeof createDecide>;

/** Makes the function by which a customer decides about a payment with the built-in provider's test card; the charge goes on then. */
export const createDecide =
  ({ inTransaction }: Pick<Database<PrismaClient>, 'inTransaction'>) =>
  /** @throws DomainError conflict if it was decided before, or its order was cancelled */
  (orderId: string, decision: 'APPROVED' | 'DECLINED'): Promise<void> =>
    inTransaction(async (tx) => {
      if (!(await decideAction(tx, orderId, decision)))
        throw new DomainError('conflict', 'The payment was decided before, or its order was cancelled.');
      stepsOn(tx).check([orderId], { settled: false });
      wakeOutgoing(tx, queueName);
    });
