import type { AccountChange, AccountOut } from '@store/shared/contracts/account';
import type { Database } from '@store/shared/database/database';
import type { TransactionOf } from '@store/shared/database/transaction';
import { entityTag, mustMatch } from '@store/shared/http/precondition';
import { DomainError, found, unavailable } from '@store/shared/values/errors';
import { stringifyJson } from '@store/shared/values/json';
import { record } from './account-changes.ts';
import { announce } from './account-events.ts';
import type { AccountRepository, StoredAccount } from './account-repository.ts';
import { accountOf, mayReceiveMail, toOut, tooMany } from './accounts.ts';
import type { AuthClient, Customer } from './auth-client.ts';
import type { PrismaClient } from './generated/client.ts';
import type { MailRequestRepository } from './mail-request-repository.ts';

interface Dependencies {
  transactionOf: Database<PrismaClient>['transactionOf'];
  repository: AccountRepository;
  requests: MailRequestRepository;
  auth: AuthClient;
}

/** Per hour. */
const maxEmailChanges = 5;

const wrongPassword = () => new DomainError('forbidden', 'The current password is wrong.', { code: 'wrong-password' });

export type OwnAccount = ReturnType<typeof createOwnAccount>;

/** Changes that customers, or operators for them, make to an account (contract 4.3). */
export function createOwnAccount({ transactionOf, repository, requests, auth }: Dependencies) {
  /** @throws DomainError rateLimited */
  async function requestEmail(tx: TransactionOf<PrismaClient>, account: StoredAccount, email: string): Promise<void> {
    const { id: accountId } = account;
    if ((await requests.countOfAccount(tx, 'EMAIL', accountId)).all >= maxEmailChanges)
      throw tooMany('changes of your e-mail address were requested', 'too-many-changes');
    const isNew = email !== account.email;
    // The current address can be requested again until it is confirmed, because the first mail may be lost.
    if (!isNew && account.confirmedAt !== null) return;
    await requests.endAll(tx, accountId, 'EMAIL');
    if (isNew) record(tx, accountId, 'emailRequested');
    // The owner of the current address can stop someone who knows only the password.
    if (isNew && mayReceiveMail(account)) {
      const requestId = await requests.begin(tx, { accountId, purpose: 'CANCEL' });
      announce(tx, 'EmailChangePending', { accountId, requestId });
    }
    const requestId = await requests.begin(tx, { accountId, purpose: 'EMAIL', email });
    announce(tx, 'EmailChangeRequested', { accountId, requestId });
  }

  return {
    /**
     * Changes the account. A new address takes effect when the link in the mail to it is followed.
     * @throws DomainError notFound, preconditionFailed if the account has changed, forbidden for a wrong password, rateLimited
     */
    async change(
      customer: Customer,
      id: string,
      { email, currentPassword, ...change }: AccountChange,
      ifMatch: string | undefined,
    ): Promise<AccountOut> {
      const present = await accountOf(repository, id, customer.accountId);
      if (email !== undefined) await auth.checkPassword(customer, present.email, currentPassword ?? '');
      return transactionOf(id, async (tx) => {
        const current = found(await repository.lock(tx, id), `account ${id}`);
        mustMatch(ifMatch, entityTag(stringifyJson(toOut(current))));
        if (email !== undefined) {
          // Refuse if the password was changed since it was checked.
          if (current.passwordHash !== present.passwordHash) throw wrongPassword();
          await requestEmail(tx, current, email);
        }
        return toOut(await repository.update(tx, id, change));
      });
    },

    /**
     * Has the mail with the link that confirms the address sent again, for an operator. The earlier link becomes void.
     * @param by the operator, as the audit trail names them
     * @throws DomainError notFound, conflict if the address is already confirmed, rateLimited
     */
    repeatConfirmation: (by: string, id: string): Promise<void> =>
      transactionOf(id, async (tx) => {
        const account = found(await repository.lock(tx, id), `account ${id}`);
        if (account.confirmedAt !== null) throw new DomainError('conflict', 'The e-mail address is already confirmed.');
        await requestEmail(tx, account, account.email);
        record(tx, id, 'confirmationRepeated', by);
      }),

    /**
     * Deletes the account. First it stops new sessions, then ends all sessions, so that none outlives the account. If this process dies in
     * between, the customer can log in half a minute later and try again. The event tells all other services.
     * @throws DomainError notFound, forbidden for a wrong password, rateLimited, unavailable if ending the sessions took too long
     */
    async delete(customer: Customer, id: string, password: string): Promise<void> {
      const { email } = await accountOf(repository, id, customer.accountId);
      await auth.checkPassword(customer, email, password);
      await repository.beginClosing(id);
      await auth.endSessions(customer);
      await transactionOf(id, async (tx) => {
        if (!(await repository.delete(tx, id))) throw unavailable('The deletion of the account');
        record(tx, id, 'accountDeleted');
        announce(tx, 'AccountDeleted', { accountId: id });
      });
    },
  };
}
