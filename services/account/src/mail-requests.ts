import type { MailTo, ResetOut } from '@store/shared/contracts/account';
import type { Database } from '@store/shared/database/database';
import { isDuplicate } from '@store/shared/database/errors';
import { DomainError } from '@store/shared/values/errors';
import { record } from './account-changes.ts';
import { announce } from './account-events.ts';
import type { AccountRepository, StoredAccount } from './account-repository.ts';
import { accountOf, emailTaken, mayHear, toOut, tooMany } from './accounts.ts';
import type { PrismaClient } from './generated/client.ts';
import type { MailRequestRepository } from './mail-request-repository.ts';
import type { Passwords } from './passwords.ts';

interface Dependencies {
  transactionOf: Database<PrismaClient>['transactionOf'];
  repository: AccountRepository;
  requests: MailRequestRepository;
  passwords: Passwords;
}

/** In an hour. An address is that of a household or an office, too. */
const maxPerAddress = 20;
/** In an hour, for one account from one client address. */
const maxPerAddressAndAccount = 5;
/** In an hour, for one account from all client addresses. */
const maxPerAccount = 20;
/** Of a mail beyond that. It answers all that are asked for meanwhile. */
const delaySeconds = 600;

const invalidToken = () =>
  new DomainError('forbidden', 'This link is used or no longer valid. Ask for a new one.', { code: 'invalid-token' });

/** The first time stays. */
const confirmedNow = ({ confirmedAt }: StoredAccount) => confirmedAt ?? new Date();

export type MailRequests = ReturnType<typeof createMailRequests>;

/** Passwords that are forgotten and addresses that are confirmed, by a link in a mail (contract 3.11). */
export function createMailRequests({ transactionOf, repository, requests, passwords }: Dependencies) {
  return {
    /**
     * Has a link sent to an address by which the password can be set anew, later where many were. Links that were sent before stay
     * valid, so that nobody makes those of another void. Nobody is told whether an account has the address.
     * @throws DomainError rateLimited
     */
    async requestReset(email: string, clientAddress: string | undefined): Promise<void> {
      await transactionOf(clientAddress ?? email.toLowerCase(), async (tx) => {
        if (clientAddress !== undefined) {
          await requests.lockClient(tx, clientAddress);
          if ((await requests.countOfClient(tx, 'PASSWORD', clientAddress)) >= maxPerAddress)
            throw tooMany('password resets were requested from your address', 'too-many-resets');
        }
        const accountId = (await repository.lockByEmail(tx, email))?.id;
        const request = { accountId, purpose: 'PASSWORD', clientAddress } as const;
        if (accountId === undefined) {
          await requests.begin(tx, request);
          return;
        }
        const recent = await requests.countOfAccount(tx, 'PASSWORD', accountId, clientAddress);
        if (recent.ofClient < maxPerAddressAndAccount && recent.all < maxPerAccount) {
          const requestId = await requests.begin(tx, request);
          await announce(tx, 'PasswordResetRequested', { accountId, requestId });
        } else if (recent.isWaiting) {
          // It counts for the client address alone.
          await requests.begin(tx, { ...request, accountId: undefined });
        } else {
          await requests.begin(tx, { ...request, delaySeconds });
        }
      });
    },

    /**
     * Sets the password by the token of a mail, which ends all other requests of the account.
     * @returns `isUsed` if that was done before: whoever has such a link learns of no password
     * @throws DomainError forbidden for a token that is unknown, too old or void
     */
    async reset(token: string, password: string, client: string | undefined): Promise<ResetOut> {
      const request = await requests.find(token, 'PASSWORD');
      const account = request && (await repository.find(request.accountId));
      if (request === undefined || account === undefined) throw invalidToken();
      if (request.isUsed) return { ...toOut(account), isUsed: true };
      const passwordHash = await passwords.hash(password, client);
      return transactionOf(account.id, async (tx) => {
        const current = await repository.lock(tx, account.id);
        if (current === undefined || !(await requests.use(tx, request.id))) throw invalidToken();
        await requests.endAll(tx, account.id);
        // The link has arrived, so the address is confirmed as well.
        const changed = await repository.update(tx, account.id, { passwordHash, confirmedAt: confirmedNow(current) });
        await record(tx, account.id, 'passwordReset');
        await announce(tx, 'PasswordChanged', { accountId: account.id });
        return { ...toOut(changed), isUsed: false };
      });
    },

    /**
     * Confirms an address by the token of the mail to it, once or again; one that is new comes into force by that. The token of a mail
     * to the present address cancels what waits for that.
     * @throws DomainError forbidden as for `reset`, conflict if the address has become another account's
     */
    async confirmEmail(token: string): Promise<void> {
      const request = await requests.find(token, 'EMAIL', 'CANCEL');
      if (request === undefined) throw invalidToken();
      if (request.isUsed) return;
      const { id, accountId, email } = request;
      const confirm = transactionOf(accountId, async (tx) => {
        const current = await repository.lock(tx, accountId);
        if (request.purpose === 'CANCEL') {
          if ((await requests.endAll(tx, accountId, 'EMAIL')) > 0) await record(tx, accountId, 'emailCancelled');
          return;
        }
        if (current === undefined || email === null) throw invalidToken();
        const isNew = current.email !== email;
        if (!(await requests.use(tx, id, mayHear(current) ? current.email : null))) throw invalidToken();
        await repository.update(tx, accountId, { email, confirmedAt: confirmedNow(current) });
        if (!isNew) return;
        // A reader of the former address must neither set the password nor cancel what comes.
        await requests.endAll(tx, accountId);
        await record(tx, accountId, 'emailChanged');
        await announce(tx, 'EmailChanged', { accountId, requestId: id });
      });
      await confirm.catch((error: unknown) => {
        throw isDuplicate(error) ? emailTaken() : error;
      });
    },

    /** Makes all links in mails to an account void, for a customer who logs out everywhere. Once or again. */
    endAll: (accountId: string): Promise<number> =>
      transactionOf(accountId, async (tx) => {
        await repository.lock(tx, accountId);
        return requests.endAll(tx, accountId);
      }),

    async isConfirmed(accountId: string): Promise<boolean> {
      return (await accountOf(repository, accountId)).confirmedAt !== null;
    },

    /**
     * Tells what a mail to an account needs. It has the account's name only where the address is confirmed to be the account's: what a
     * stranger has chosen is read by nobody else. Its token, if the mail has a link, is made now, and a former one of the request is void.
     * @param requestId of the request that the mail answers
     * @throws DomainError notFound if the mail must not be sent: the account is gone, the request has ended, or the address is not confirmed
     */
    async mailTo(accountId: string, requestId: string | undefined, isFormer: boolean): Promise<MailTo> {
      const account = await accountOf(repository, accountId);
      const { locale, email } = account;
      const name = account.confirmedAt === null ? undefined : account.name;
      if (requestId === undefined) {
        if (mayHear(account)) return { name, locale, email };
        throw new DomainError('notFound', `The address of account ${accountId} is not confirmed.`);
      }
      if (isFormer) {
        const former = await requests.formerEmail(requestId, accountId);
        if (former !== undefined) return { locale, email: former };
      } else {
        const issued = await requests.issueToken(requestId, accountId);
        if (issued !== undefined) {
          const { token, email: unconfirmed } = issued;
          return unconfirmed === null ? { name, locale, email, token } : { locale, email: unconfirmed, token };
        }
      }
      throw new DomainError('notFound', `The request ${requestId} has ended.`);
    },
  };
}

/** Announces the mails about forgotten passwords that were to be sent later and have become due. @returns true if there may be more */
export const announceDueResets = (
  { inTransaction }: Pick<Database<PrismaClient>, 'inTransaction'>,
  requests: MailRequestRepository,
): Promise<boolean> =>
  inTransaction(async (tx) => {
    const due = await requests.takeDue(tx);
    for (const { id: requestId, accountId } of due)
      await announce(tx, 'PasswordResetRequested', { accountId, requestId });
    return due.length > 0;
  });
