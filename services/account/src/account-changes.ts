import { recordChange } from '@store/shared/database/audit';
import type { Transaction } from '@store/shared/database/transaction';
import { actorOf } from '@store/shared/values/audit';

/** Audited changes that customers, or operators for them, make to accounts: the kind, and the state before and after. */
const changes = {
  passwordChanged: { kind: 'password', after: { is: 'changed' } },
  passwordReset: { kind: 'password', after: { is: 'reset' } },
  emailRequested: { kind: 'e-mail address', after: { is: 'requested' } },
  confirmationRepeated: { kind: 'e-mail address', after: { is: 'to be confirmed, by another mail' } },
  emailCancelled: { kind: 'e-mail address', before: { is: 'requested' }, after: { is: 'cancelled' } },
  emailChanged: { kind: 'e-mail address', before: { is: 'requested' }, after: { is: 'changed' } },
  accountDeleted: { kind: 'account', before: {} },
} as const;

const jsonOf = (state: object | undefined) => state && JSON.stringify(state);

/**
 * Records a change in the audit trail, in the transaction of the change. The entry has no address and no name, because it outlives the
 * account.
 * @param actor default: the account itself
 */
export function record(
  tx: Transaction,
  accountId: string,
  change: keyof typeof changes,
  actor = actorOf(accountId, undefined),
): void {
  const { kind, before, after }: { kind: (typeof changes)[typeof change]['kind']; before?: object; after?: object } =
    changes[change];
  const states = { before: jsonOf(before), after: jsonOf(after) };
  recordChange(tx, { actor, kind, subject: accountId, ...states });
}
