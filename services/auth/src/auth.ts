import type { AccountIn, Credentials } from '@store/shared/contracts/account';
import type { Logger } from '@store/shared/observability/log';
import { DomainError } from '@store/shared/values/errors';
import type { AccountClient } from './account-client.ts';
import type { Tokens } from './tokens.ts';

interface Dependencies {
  accounts: AccountClient;
  tokens: Tokens;
  log: Logger;
}

export type Auth = ReturnType<typeof createAuth>;

export function createAuth({ accounts, tokens, log }: Dependencies) {
  return {
    register: (account: AccountIn) => accounts.register(account),
    async login(credentials: Credentials) {
      const account = await accounts.checkPassword(credentials);
      if (account === undefined) {
        throw new DomainError('unauthenticated', 'The e-mail address or the password is wrong.');
      }
      return { account, token: await tokens.issue(account.id) };
    },
    /** Records who logged out. The token itself stays valid until it expires: only the cookie is cleared. */
    async logout(token: string | undefined): Promise<void> {
      const accountId = token === undefined ? undefined : await tokens.resolve(token);
      if (accountId !== undefined) log.info({ accountId }, 'Logged out');
    },
    /** @returns the id of the account that the token was issued to */
    async solve(token: string): Promise<string> {
      const accountId = await tokens.resolve(token);
      if (accountId === undefined) throw new DomainError('unauthenticated', 'Invalid token');
      return accountId;
    },
  };
}
