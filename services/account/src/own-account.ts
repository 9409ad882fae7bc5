import type { AccountChange, AccountOut } from '@store/shared/contracts/account';
import type { Database } from '@store/shared/database/database';
import type { TransactionOf } from '@store/shared/database/transaction';
import { entityTag, mustMatch } from '@store/shared/http/precondition';
import { DomainError, found, unavailable } from '@store/shared/values/errors';
import { stringifyJson } from '@store/shared/values/json';
import { record } from './account-changes.ts';
import { announce } from './account-events.ts';
import type { AccountRepository, StoredAccount } from './account-repository.ts';
import { accountOf, mayHear, toOut, tooMany } from './accounts.ts';
import type { AuthClient, Customer } from './auth-client.ts';
import type { PrismaClient } from './generated/client.ts';
import type { MailRequestRepository } from './mail-request-repository.ts';

interface Dependencies {
  transactionOf: Database<PrismaClient>['transactionOf'];
  repository: AccountRepository;
  requests: MailRequestRepository;
  auth: AuthClient;
}

/** In an hour. */
const maxEmailChanges = 5;

const wrongPassword = () => new DomainError('forbidden', 'The current password is wrong.', { code: 'wrong-password' });

export type OwnAccount = ReturnType<typeof createOwnAccount>;

/** Changes that customers make to their own account, and what operators do for them (contract 4.3). */
export function createOwnAccount({ transactionOf, repository, requests, auth }: Dependencies) {
  /** @throws DomainError rateLimited */
  async function requestEmail(tx: TransactionOf<PrismaClient>, account: StoredAccount, email: string): Promise<void> {
    const { id: accountId } = account;
    if ((await requests.countOfAccount(tx, 'EMAIL', accountId)).all >= maxEmailChanges)
      throw tooMany('changes of your e-mail address were requested', 'too-many-changes');
    const isNew = email !== account.email;
    // The present one, too, where it waits for its confirmation: the first mail may be lost.
    if (!isNew && account.confirmedAt !== null) return;
    await requests.endAll(tx, accountId, 'EMAIL');
    if (isNew) await record(tx, accountId, 'emailRequested');
    // Whoever reads the present address can stop somebody who only knows the password.
    if (isNew && mayHear(account)) {
      const requestId = await requests.begin(tx, { accountId, purpose: 'CANCEL' });
      await announce(tx, 'EmailChangePending', { accountId, requestId });
    }
    const requestId = await requests.begin(tx, { accountId, purpose: 'EMAIL', email });
    await announce(tx, 'EmailChangeRequested', { accountId, requestId });
  }

  return {
    /**
     * Changes the account; another address comes into force by the link in the mail to it.
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
          // Otherwise another password has come into force since it was checked.
          if (current.passwordHash !== present.passwordHash) throw wrongPassword();
          await requestEmail(tx, current, email);
        }
        return toOut(await repository.update(tx, id, change));
      });
    },

    /**
     * Has the mail with the link that confirms the address sent once more, for an operator; the link before is void.
     * @param by who does, as the audit trail has it
     * @throws DomainError notFound, conflict if the address is confirmed, rateLimited
     */
    repeatConfirmation: (by: string, id: string): Promise<void> =>
      transactionOf(id, async (tx) => {
        const account = found(await repository.lock(tx, id), `account ${id}`);
        if (account.confirmedAt !== null) throw new DomainError('conflict', 'The e-mail address is confirmed.');
        await requestEmail(tx, account, account.email);
        await record(tx, id, 'confirmationRepeated', by);
      }),

    /**
     * Deletes the account. First no session begins any more, then all end: none outlives it. If this process ends in between, its
     * customer logs in half a minute later and does it again. All other services learn of it by the event.
     * @throws DomainError notFound, forbidden for a wrong password, rateLimited, unavailable if ending the sessions took too long
     */
    async delete(customer: Customer, id: string, password: string): Promise<void> {
      const { email } = await accountOf(repository, id, customer.accountId);
      await auth.checkPassword(customer, email, password);
      await repository.beginClosing(id);
      await auth.endSessions(customer);
      await transactionOf(id, async (tx) => {
        if (!(await repository.delete(tx, id))) throw unavailable('The deletion of the account');
        await record(tx, id, 'accountDeleted');
        await announce(tx, 'AccountDeleted', { accountId: id });
      });
    },
  };
}
