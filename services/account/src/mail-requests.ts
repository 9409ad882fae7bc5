import type { MailTo, ResetOut } from '@store/shared/contracts/account';
import type { Database } from '@store/shared/database/database';
import { isDuplicate } from '@store/shared/database/errors';
import { DomainError } from '@store/shared/values/errors';
import { record } from './account-changes.ts';
import { announce } from './account-events.ts';
import type { AccountRepository, StoredAccount } from './account-repository.ts';
import { accountOf, emailTaken, mayReceiveMail, toOut, tooMany } from './accounts.ts';
import type { PrismaClient } from './generated/client.ts';
import type { MailRequestRepository } from './mail-request-repository.ts';
import type { Passwords } from './passwords.ts';

interface Dependencies {
  transactionOf: Database<PrismaClient>['transactionOf'];
  repository: AccountRepository;
  requests: MailRequestRepository;
  passwords: Passwords;
}

/** Per hour. More than per account and address, since a household or an office shares one address. */
const maxPerAddress = 20;
/** Per hour, for one account from one client address. */
const maxPerAddressAndAccount = 5;
/** Per hour, for one account from all client addresses. */
const maxPerAccount = 20;
/** Delay of the next mail beyond these limits. It answers all requests made in the meantime. */
const delaySeconds = 600;

const invalidToken = () =>
  new DomainError('forbidden', 'This link has been used or is no longer valid. Request a new one.', {
    code: 'invalid-token',
  });

/** Keeps the time of the first confirmation. */
const confirmedAtOrNow = ({ confirmedAt }: StoredAccount) => confirmedAt ?? new Date();

export type MailRequests = ReturnType<typeof createMailRequests>;

/** Resets passwords and confirms addresses by links in mails (contract 3.11). */
export function createMailRequests({ transactionOf, repository, requests, passwords }: Dependencies) {
  return {
    /**
     * Has a link to reset the password sent to an address; if many were sent, it is sent later. Earlier links stay valid, so nobody can
     * invalidate another person's links. The answer does not reveal whether an account has the address.
     * @throws DomainError rateLimited
     */
    async requestReset(email: string, clientAddress: string | undefined): Promise<void> {
      await transactionOf(clientAddress ?? email.toLowerCase(), async (tx) => {
        if (clientAddress !== undefined) {
          requests.lockClient(tx, clientAddress);
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
          announce(tx, 'PasswordResetRequested', { accountId, requestId });
        } else if (recent.isWaiting) {
          // Counts toward the limit of the client address only.
          await requests.begin(tx, { ...request, accountId: undefined });
        } else {
          await requests.begin(tx, { ...request, delaySeconds });
        }
      });
    },

    /**
     * Sets the password by the token of a mail and ends all other requests of the account.
     * @returns `isUsed` if the token was used before: then no password is set or compared, so a used link reveals nothing about it
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
        // The link has arrived, so this also confirms the address.
        const changed = await repository.update(tx, account.id, {
          passwordHash,
          confirmedAt: confirmedAtOrNow(current),
        });
        record(tx, account.id, 'passwordReset');
        announce(tx, 'PasswordChanged', { accountId: account.id });
        return { ...toOut(changed), isUsed: false };
      });
    },

    /**
     * Confirms an address by the token of the mail to it. Idempotent. A new address takes effect now. The token of the mail to the current
     * address cancels the pending changes instead.
     * @throws DomainError forbidden as for `reset`, conflict if another account has taken the address
     */
    async confirmEmail(token: string): Promise<void> {
      const request = await requests.find(token, 'EMAIL', 'CANCEL');
      if (request === undefined) throw invalidToken();
      if (request.isUsed) return;
      const { id, accountId, email } = request;
      const confirm = transactionOf(accountId, async (tx) => {
        const current = await repository.lock(tx, accountId);
        if (request.purpose === 'CANCEL') {
          if ((await requests.endAll(tx, accountId, 'EMAIL')) > 0) record(tx, accountId, 'emailCancelled');
          return;
        }
        if (current === undefined || email === null) throw invalidToken();
        const isNew = current.email !== email;
        if (!(await requests.use(tx, id, mayReceiveMail(current) ? current.email : null))) throw invalidToken();
        await repository.update(tx, accountId, { email, confirmedAt: confirmedAtOrNow(current) });
        if (!isNew) return;
        // Someone who reads mail to the former address must not be able to set the password or cancel later changes.
        await requests.endAll(tx, accountId);
        record(tx, accountId, 'emailChanged');
        announce(tx, 'EmailChanged', { accountId, requestId: id });
      });
      await confirm.catch((error: unknown) => {
        throw isDuplicate(error) ? emailTaken() : error;
      });
    },

    /** Invalidates all links in mails to an account, when the customer logs out everywhere. Idempotent. */
    endAll: (accountId: string): Promise<number> =>
      transactionOf(accountId, async (tx) => {
        await repository.lock(tx, accountId);
        return requests.endAll(tx, accountId);
      }),

    async isConfirmed(accountId: string): Promise<boolean> {
      return (await accountOf(repository, accountId)).confirmedAt !== null;
    },

    /**
     * Returns what a mail to an account needs. The name is included only if the account has confirmed the address, so that a stranger
     * cannot write text into a mail to somebody else. If the mail has a link, its token is made now, and an earlier one becomes void.
     * @param requestId of the request that the mail answers
     * @param isFormer the mail goes to the address that the account had before the request
     * @throws DomainError notFound if the mail must not be sent: the account is deleted, the request has ended, or the address is not
     * confirmed
     */
    async mailTo(accountId: string, requestId: string | undefined, isFormer: boolean): Promise<MailTo> {
      const account = await accountOf(repository, accountId);
      const { locale, email } = account;
      const name = account.confirmedAt === null ? undefined : account.name;
      if (requestId === undefined) {
        if (mayReceiveMail(account)) return { name, locale, email };
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

/** Announces delayed mails about forgotten passwords that have become due. @returns true if there may be more */
export async function announceDueResets(
  { inTransaction }: Pick<Database<PrismaClient>, 'inTransaction'>,
  requests: MailRequestRepository,
): Promise<boolean> {
  if (!(await requests.isAnyDue())) return false;
  return inTransaction(async (tx) => {
    const due = await requests.takeDue(tx);
    for (const { id: requestId, accountId } of due) announce(tx, 'PasswordResetRequested', { accountId, requestId });
    return due.length > 0;
  });
}
