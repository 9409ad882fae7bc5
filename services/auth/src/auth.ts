import { DomainError } from '@store/shared/values/errors';
import type { AccountClient } from './account-client.ts';
import type { AccountIn, Credentials } from './schemas.ts';
import type { Tokens } from './tokens.ts';

interface Dependencies {
  accounts: AccountClient;
  tokens: Tokens;
}

export type Auth = ReturnType<typeof createAuth>;

export function createAuth({ accounts, tokens }: Dependencies) {
  return {
    register: (account: AccountIn) => accounts.register(account),
    async login(credentials: Credentials) {
      const account = await accounts.checkPassword(credentials);
      if (account === undefined) {
        throw new DomainError('unauthenticated', 'The e-mail address or the password is wrong.');
      }
      return { account, token: await tokens.issue(account.id) };
    },
    /** The id of the account that a token was given to. */
    async solve(token: string): Promise<string> {
      const accountId = await tokens.resolve(token);
      if (accountId === undefined) throw new DomainError('unauthenticated', 'Invalid token');
      return accountId;
    },
  };
}
