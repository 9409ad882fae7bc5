import type { AccountIn, AccountOut, Credentials } from '@store/shared/contracts/account';
import { entityTag, mustMatch } from '@store/shared/http/precondition';
import { DomainError } from '@store/shared/values/errors';
import { stringifyJson } from '@store/shared/values/json';
import type { Account, AccountRepository } from './account-repository.ts';
import type { Passwords } from './passwords.ts';

interface Dependencies {
  repository: AccountRepository;
  passwords: Passwords;
  newId: () => string;
}

const noAccount = (id: string) => new DomainError('notFound', `There is no account ${id}.`);

export type Accounts = ReturnType<typeof createAccounts>;

export function createAccounts({ repository, passwords, newId }: Dependencies) {
  const toOut = ({ id, name, email, createdAt }: Account): AccountOut => ({
    id,
    name,
    email,
    createdAt: createdAt.toISOString(),
  });

  return {
    /** Everything that the caller may see: the caller's own account. */
    async list(callerId: string): Promise<AccountOut[]> {
      const account = await repository.find(callerId);
      return account === undefined ? [] : [toOut(account)];
    },
    async get(callerId: string, id: string): Promise<AccountOut> {
      const account = id === callerId ? await repository.find(id) : undefined;
      if (account === undefined) throw noAccount(id);
      return toOut(account);
    },
    /** @throws DomainError notFound, or preconditionFailed if the account has changed */
    async rename(callerId: string, id: string, name: string, ifMatch: string | undefined): Promise<AccountOut> {
      const mustBeSeen = (current: Account) => mustMatch(ifMatch, entityTag(stringifyJson(toOut(current))));
      const renamed = id === callerId ? await repository.rename(id, name, mustBeSeen) : undefined;
      if (renamed === undefined) throw noAccount(id);
      return toOut(renamed);
    },
    /** Finds whoever has this address: nobody, or one. */
    async search(email: string): Promise<AccountOut[]> {
      const account = await repository.findByEmail(email);
      return account === undefined ? [] : [toOut(account)];
    },
    async register({ password, ...account }: AccountIn, client: string | undefined): Promise<AccountOut> {
      const passwordHash = await passwords.hash(password, client);
      const inserted = await repository.insert({ id: newId(), ...account, passwordHash });
      if (inserted !== undefined) return toOut(inserted);
      throw new DomainError('conflict', 'There is an account with this e-mail address already.', {
        code: 'email-taken',
      });
    },
    async setPassword(id: string, password: string, client: string | undefined): Promise<void> {
      const passwordHash = await passwords.hash(password, client);
      if (await repository.setPassword(id, passwordHash)) return;
      throw noAccount(id);
    },
    async checkPassword({ email, password }: Credentials, client: string | undefined): Promise<AccountOut> {
      const account = await repository.findByEmail(email);
      const matches = await passwords.verify(account?.passwordHash, password, { email, client });
      if (account !== undefined && matches) return toOut(account);
      throw new DomainError('unauthenticated', 'The e-mail address or the password is wrong.');
    },
  };
}
