import type { AccountIn, Credentials } from '@store/shared/contracts/account';
import type { Follower } from '@store/shared/database/follower';
import type { Logger } from '@store/shared/observability/log';
import { DomainError, unavailable } from '@store/shared/values/errors';
import type { AccountClient } from './account-client.ts';
import type { EndedSessions } from './ended-sessions.ts';
import type { CountedLogin, LoginFailureRepository } from './login-failure-repository.ts';
import type { GivenSession } from './schemas.ts';
import type { SessionRepository } from './session-repository.ts';
import type { Tokens } from './tokens.ts';

interface Dependencies {
  accounts: AccountClient;
  tokens: Tokens;
  failures: LoginFailureRepository;
  sessions: SessionRepository;
  endedSessions: EndedSessions;
  follower: Pick<Follower, 'isLoaded'>;
  ttlSeconds: number;
  log: Logger;
}

export type Auth = ReturnType<typeof createAuth>;

export function createAuth(dependencies: Dependencies) {
  const { accounts, tokens, failures, sessions, endedSessions, follower, ttlSeconds, log } = dependencies;

  async function checkPassword(credentials: Credentials, clientAddress: string | undefined, counted: CountedLogin) {
    try {
      return await accounts.checkPassword(credentials, clientAddress);
    } catch (error) {
      await failures.uncount(counted).catch((err: unknown) => log.warn({ err }, 'A login still counts as failed'));
      throw error;
    }
  }

  return {
    register: (account: AccountIn, clientAddress: string | undefined) => accounts.register(account, clientAddress),
    /** @throws DomainError unauthenticated, or rateLimited after too many failures, whatever the password is */
    async login(credentials: Credentials, clientAddress: string | undefined) {
      const counted = await failures.count(credentials.email);
      if (counted === undefined) {
        throw new DomainError('rateLimited', 'Too many logins with this e-mail address have failed. Try again later.', {
          code: 'too-many-failures',
          retryAfterSeconds: await failures.delayOf(credentials.email),
        });
      }
      const account = await checkPassword(credentials, clientAddress, counted);
      if (account === undefined) {
        throw new DomainError('unauthenticated', 'The e-mail address or the password is wrong.');
      }
      await failures.reset(counted);
      return { account, token: await tokens.issue(account.id, counted.at) };
    },
    /** Ends the session of a token; one that is not valid has none. */
    async logout(token: string | undefined): Promise<void> {
      const session = token === undefined ? undefined : await tokens.resolve(token);
      if (session === undefined) return;
      await sessions.end(session);
      endedSessions.add(session);
      log.info({ accountId: session.accountId }, 'Logged out');
    },
    /** Ends all sessions of the account that have begun by now. */
    async endSessions(accountId: string): Promise<void> {
      endedSessions.add(await sessions.endAll(accountId, ttlSeconds));
      log.info({ accountId }, 'All sessions ended');
    },
    /** @returns the ids of those that were ended, by a logout or DELETE /auth/sessions, or with their key or their time */
    endedOf(given: GivenSession[]): string[] {
      if (!follower.isLoaded()) throw unavailable('The list of ended sessions');
      return given.filter((one) => endedSessions.has(one) || tokens.isOver(one)).map(({ id }) => id);
    },
    /** @returns the id of the account that the token was issued to */
    async solve(token: string): Promise<string> {
      if (!follower.isLoaded()) throw unavailable('The list of ended sessions');
      const session = await tokens.resolve(token);
      if (session === undefined) throw new DomainError('unauthenticated', 'Invalid token');
      return session.accountId;
    },
  };
}
