import type { AccountChange, AccountOut } from '@store/shared/contracts/account';
import { inTransaction } from '@store/shared/database/transaction';
import { entityTag, mustMatch } from '@store/shared/http/precondition';
import { found } from '@store/shared/values/errors';
import { stringifyJson } from '@store/shared/values/json';
import type { Kysely } from 'kysely';
import { announce } from './account-events.ts';
import type { AccountRepository } from './account-repository.ts';
import { accountOf, toOut, tooMany } from './accounts.ts';
import type { AuthClient, Customer } from './auth-client.ts';
import type { DB } from './generated/tables.ts';
import type { MailRequestRepository } from './mail-request-repository.ts';

interface Dependencies {
  kysely: Kysely<DB>;
  repository: AccountRepository;
  requests: MailRequestRepository;
  auth: AuthClient;
}

/** In an hour. */
const maxEmailChanges = 5;

export type OwnAccount = ReturnType<typeof createOwnAccount>;

/** Changes that customers make to their own account (contract 4.3). */
export function createOwnAccount({ kysely, repository, requests, auth }: Dependencies) {
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
      if (email !== undefined) {
        await auth.checkPassword(customer, present.email, currentPassword ?? '');
        if ((await requests.countRecent('EMAIL', { accountId: id })) >= maxEmailChanges) {
          throw tooMany('changes of your e-mail address were requested', 'too-many-changes');
        }
      }
      return inTransaction(kysely, async (tx) => {
        const current = found(await repository.lock(tx, id), `account ${id}`);
        mustMatch(ifMatch, entityTag(stringifyJson(toOut(current))));
        // The present one, too, where it waits for its confirmation: the first mail may be lost.
        if (email !== undefined && (email !== current.email || current.confirmedAt === null)) {
          const requestId = await requests.begin(tx, { accountId: id, purpose: 'EMAIL', email });
          await announce(tx, 'EmailChangeRequested', { accountId: id, requestId });
        }
        return toOut((await repository.update(tx, id, change)) ?? current);
      });
    },

    /**
     * Deletes the account. Its sessions end first: if this process ends in between, its customer logs in and does it again. All other
     * services learn of it by the event.
     * @throws DomainError notFound, forbidden for a wrong password, rateLimited
     */
    async delete(customer: Customer, id: string, password: string): Promise<void> {
      const { email } = await accountOf(repository, id, customer.accountId);
      await auth.checkPassword(customer, email, password);
      await auth.endSessions(customer);
      await inTransaction(kysely, async (tx) => {
        await repository.delete(tx, id);
        await announce(tx, 'AccountDeleted', { accountId: id });
      });
    },
  };
}
