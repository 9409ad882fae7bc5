import type { AccountOut, MailTo } from '@store/shared/contracts/account';
import { isDuplicate } from '@store/shared/database/errors';
import { inTransaction } from '@store/shared/database/transaction';
import { DomainError } from '@store/shared/values/errors';
import type { Kysely } from 'kysely';
import { announce } from './account-events.ts';
import type { AccountRepository } from './account-repository.ts';
import { accountOf, emailTaken, toOut, tooMany } from './accounts.ts';
import type { DB } from './generated/tables.ts';
import type { MailRequestRepository } from './mail-request-repository.ts';
import type { Passwords } from './passwords.ts';

interface Dependencies {
  kysely: Kysely<DB>;
  repository: AccountRepository;
  requests: MailRequestRepository;
  passwords: Passwords;
}

/** In an hour. An address is that of a household or an office, too. */
const maxPerAddress = 20;
/** In an hour: further ones are answered alike, and nothing is sent. */
const maxPerAccount = 5;

const invalidToken = () =>
  new DomainError('forbidden', 'This link is no longer valid. Ask for a new one.', { code: 'invalid-token' });

export type MailRequests = ReturnType<typeof createMailRequests>;

/** Passwords that are forgotten and addresses that are confirmed, by a link in a mail (contract 3.11). */
export function createMailRequests({ kysely, repository, requests, passwords }: Dependencies) {
  return {
    /**
     * Has a link sent to an address by which the password can be set anew. Nobody is told whether an account has the address.
     * @throws DomainError rateLimited
     */
    async requestReset(email: string, clientAddress: string | undefined): Promise<void> {
      const recent = clientAddress === undefined ? 0 : await requests.countRecent('PASSWORD', { clientAddress });
      if (recent >= maxPerAddress) {
        throw tooMany('password resets were requested from your address', 'too-many-resets');
      }
      const account = await repository.findByEmail(email);
      const isSent = account && (await requests.countRecent('PASSWORD', { accountId: account.id })) < maxPerAccount;
      const accountId = isSent ? account.id : undefined;
      await inTransaction(kysely, async (tx) => {
        const requestId = await requests.begin(tx, { accountId, purpose: 'PASSWORD', clientAddress });
        if (accountId !== undefined) await announce(tx, 'PasswordResetRequested', { accountId, requestId });
      });
    },

    /**
     * Sets the password by the token of a mail. It may be repeated with the same password, for a caller that has seen no answer.
     * @throws DomainError forbidden for a token that is unknown, used, too old or void
     */
    async reset(token: string, password: string, client: string | undefined): Promise<AccountOut> {
      const request = await requests.find(token, 'PASSWORD');
      const account = request && (await repository.find(request.accountId));
      if (request === undefined || account === undefined) throw invalidToken();
      if (request.isUsed) {
        const { email, passwordHash } = account;
        if (await passwords.verify(passwordHash, password, { email, client })) return toOut(account);
        throw invalidToken();
      }
      const passwordHash = await passwords.hash(password, client);
      return inTransaction(kysely, async (tx) => {
        if (!(await requests.use(tx, request.id))) throw invalidToken();
        // The link has arrived, so the address is confirmed as well.
        const changed = await repository.update(tx, account.id, { passwordHash, isConfirmed: true });
        if (changed === undefined) throw invalidToken();
        await announce(tx, 'PasswordChanged', { accountId: account.id });
        return toOut(changed);
      });
    },

    /**
     * Confirms an address by the token of the mail to it, once or again; one that is new comes into force by that.
     * @throws DomainError forbidden as for `reset`, conflict if the address has become another account's
     */
    async confirmEmail(token: string): Promise<void> {
      const request = await requests.find(token, 'EMAIL');
      if (request === undefined) throw invalidToken();
      if (request.isUsed) return;
      const { id, accountId, email } = request;
      const confirm = inTransaction(kysely, async (tx) => {
        const current = await repository.lock(tx, accountId);
        if (current === undefined || email === null) throw invalidToken();
        const isNew = current.email !== email;
        if (!(await requests.use(tx, id, current.email))) throw invalidToken();
        await repository.update(tx, accountId, { email, isConfirmed: true });
        if (!isNew) return;
        // A reader of the former address must not set the password.
        await requests.endAll(tx, accountId, 'PASSWORD');
        await announce(tx, 'EmailChanged', { accountId, requestId: id });
      });
      await confirm.catch((error: unknown) => {
        throw isDuplicate(error) ? emailTaken() : error;
      });
    },

    async isConfirmed(accountId: string): Promise<boolean> {
      return (await accountOf(repository, accountId)).confirmedAt !== null;
    },

    /**
     * Tells what a mail to an account needs. Its token, if the mail has a link, is made now, and a former one of the request is void.
     * @param requestId of the request that the mail answers
     * @throws DomainError notFound if the account is gone, or the request has ended: the mail must not be sent any more
     */
    async mailTo(accountId: string, requestId: string | undefined, isFormer: boolean): Promise<MailTo> {
      const { name, locale, email } = await accountOf(repository, accountId);
      if (requestId === undefined) return { name, locale, email };
      if (isFormer) {
        const former = await requests.formerEmail(requestId, accountId);
        if (former !== undefined) return { name, locale, email: former };
      } else {
        const issued = await requests.issueToken(requestId, accountId);
        if (issued !== undefined) return { name, locale, email: issued.email ?? email, token: issued.token };
      }
      throw new DomainError('notFound', `The request ${requestId} has ended.`);
    },
  };
}
