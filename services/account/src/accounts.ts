import { randomUUID } from 'node:crypto';
import type { AccountIn, AccountOut, Credentials } from '@store/shared/contracts/account';
import type { Database } from '@store/shared/database/database';
import { DomainError, found } from '@store/shared/values/errors';
import type { ProblemCode } from '@store/shared/values/problem-types';
import { record } from './account-changes.ts';
import { announce, announceOnce } from './account-events.ts';
import type { AccountRepository, StoredAccount } from './account-repository.ts';
import type { Account, PrismaClient } from './generated/client.ts';
import type { MailRequestRepository } from './mail-request-repository.ts';
import type { Passwords } from './passwords.ts';

interface Dependencies {
  transactionOf: Database<PrismaClient>['transactionOf'];
  repository: AccountRepository;
  requests: MailRequestRepository;
  passwords: Passwords;
}

/** @throws DomainError notFound, also if the caller asks for another customer's account */
export const accountOf = async (repository: AccountRepository, id: string, callerId = id): Promise<StoredAccount> =>
  found(callerId === id ? await repository.find(id) : undefined, `account ${id}`);

export const emailTaken = () =>
  new DomainError('conflict', 'An account with this e-mail address already exists.', { code: 'email-taken' });

export const tooMany = (what: string, code: ProblemCode) =>
  new DomainError('rateLimited', `Too many ${what}. Try again later.`, { code, retryAfterSeconds: 600 });

const closing = () => new DomainError('unavailable', 'The account is being deleted.', { retryAfterSeconds: 30 });

type Shown = Pick<Account, 'id' | 'name' | 'email' | 'locale' | 'createdAt'>;

export const toOut = ({ id, name, email, locale, createdAt }: Shown): AccountOut => ({
  id,
  name,
  email,
  locale,
  createdAt: createdAt.toISOString(),
});

/** An account as operators see it. */
const toFoundAccount = (account: StoredAccount) => ({
  ...toOut(account),
  confirmedAt: account.confirmedAt?.toISOString() ?? null,
});

const listOf = (account: StoredAccount | undefined) => (account === undefined ? [] : [toOut(account)]);

/** Whether mails other than those that confirm the address may go to it: anybody may have registered an unconfirmed address. */
export const mayReceiveMail = ({
  confirmedAt,
  askedToConfirm,
}: Pick<StoredAccount, 'confirmedAt' | 'askedToConfirm'>): boolean => confirmedAt !== null || !askedToConfirm;

export type Accounts = ReturnType<typeof createAccounts>;

export function createAccounts({ transactionOf, repository, requests, passwords }: Dependencies) {
  return {
    /** Lists the accounts that the caller may see, which is only their own. */
    list: async (callerId: string): Promise<AccountOut[]> => listOf(await repository.find(callerId)),
    get: async (id: string, callerId: string): Promise<AccountOut> => toOut(await accountOf(repository, id, callerId)),
    /**
     * Returns an account to auth before it begins a session. The session must not outlive the account, so an account that is being
     * deleted is not found.
     * @throws DomainError notFound
     */
    async getUnlessClosing(id: string): Promise<AccountOut> {
      const account = await accountOf(repository, id);
      return toOut(found(account.isClosing ? undefined : account, `account ${id}`));
    },
    /** Finds the account with this id or address. @returns an array of at most one account */
    async search(by: { id: string } | { email: string }) {
      const account = await ('id' in by ? repository.find(by.id) : repository.findByEmail(by.email));
      return account === undefined ? [] : [toFoundAccount(account)];
    },
    /** Finds accounts with a text in their names or addresses, or at the beginning of their ids, newest first. */
    async searchAll(sought: string, asked: { size: number; after?: string | undefined }) {
      const { rows, next } = await repository.search(sought, asked);
      return { accounts: rows.map(toFoundAccount), next };
    },
    namesOf: (ids: string[]) => repository.namesOf(ids),
    async register({ password, ...account }: AccountIn, client: string | undefined): Promise<AccountOut> {
      const passwordHash = await passwords.hash(password, client);
      // The second of two registrations with the same address waits for the first.
      return transactionOf(client ?? account.email.toLowerCase(), async (tx) => {
        const accountId = randomUUID();
        const inserted = await repository.insert(tx, { id: accountId, ...account, passwordHash });
        if (inserted === undefined) throw emailTaken();
        const { email } = account;
        const requestId = await requests.begin(tx, { accountId, purpose: 'EMAIL', email });
        announce(tx, 'AccountRegistered', { accountId, requestId });
        return toOut(inserted);
      });
    },
    async setPassword(id: string, password: string, client: string | undefined): Promise<void> {
      const passwordHash = await passwords.hash(password, client);
      await transactionOf(id, async (tx) => {
        found(await repository.lock(tx, id), `account ${id}`);
        await repository.update(tx, id, { passwordHash });
        await requests.endAll(tx, id);
        record(tx, id, 'passwordChanged');
        announce(tx, 'PasswordChanged', { accountId: id });
      });
    },
    /** Has a mail about a new API key sent to its account. Repeated calls send one mail. @throws DomainError notFound */
    announceKey: (id: string, keyId: string): Promise<void> =>
      transactionOf(id, async (tx) => {
        found(await repository.lock(tx, id), `account ${id}`);
        await announceOnce(tx, keyId, 'ApiKeyMade', { accountId: id });
      }),
    /** @throws DomainError unauthenticated, or unavailable while the account is being deleted */
    async checkPassword({ email, password }: Credentials, client: string | undefined): Promise<AccountOut> {
      const account = await repository.findByEmail(email);
      const matches = await passwords.verify(account?.passwordHash, password, { email, client });
      if (account !== undefined && matches) {
        if (account.isClosing) throw closing();
        return toOut(account);
      }
      throw new DomainError('unauthenticated', 'The e-mail address or the password is wrong.');
    },
  };
}
