import type { AccountIn, AccountOut, Credentials } from '@store/shared/contracts/account';
import type { Logger } from '@store/shared/observability/log';
import { DomainError } from '@store/shared/values/errors';
import type { AccountClient } from './account-client.ts';
import type { LoginFailureRepository } from './login-failure-repository.ts';
import type { Tokens } from './tokens.ts';

interface Dependencies {
  accounts: AccountClient;
  tokens: Tokens;
  failures: LoginFailureRepository;
  log: Logger;
}

export type Auth = ReturnType<typeof createAuth>;

export function createAuth({ accounts, tokens, failures, log }: Dependencies) {
  async function checkPassword(credentials: Credentials): Promise<AccountOut | undefined> {
    try {
      return await accounts.checkPassword(credentials);
    } catch (error) {
      await failures
        .uncount(credentials.email)
        .catch((err: unknown) => log.warn({ err }, 'A login still counts as failed'));
      throw error;
    }
  }

  return {
    register: (account: AccountIn) => accounts.register(account),
    /** @throws DomainError unauthenticated, or rateLimited after too many failures, whatever the password is */
    async login(credentials: Credentials) {
      if (!(await failures.count(credentials.email))) {
        throw new DomainError('rateLimited', 'Too many logins with this e-mail address have failed. Try again later.', {
          code: 'too-many-failures',
          retryAfterSeconds: await failures.delayOf(credentials.email),
        });
      }
      const account = await checkPassword(credentials);
      if (account === undefined) {
        throw new DomainError('unauthenticated', 'The e-mail address or the password is wrong.');
      }
      await failures.reset(credentials.email);
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
