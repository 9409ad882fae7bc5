import { accountOut, type Credentials } from '@store/shared/contracts/account';
import { createHttpClient, type Refusals } from '@store/shared/http/client';
import { DomainError, unavailable } from '@store/shared/values/errors';
import { z } from 'zod';

/** Auth's answer to a login. */
interface Login {
  name: string;
  token: string;
  /** Lifetime of the token at most. */
  seconds: number;
}

export type AuthClient = ReturnType<typeof createAuthClient>;

const refusals: Refusals = {
  400: ['unauthenticated'],
  401: ['unauthenticated'],
  403: ['forbidden', 'account-locked'],
  429: ['rateLimited', 'too-many-failures'],
};

const withToken = (token: string) => ({ headers: { cookie: `__store_jwt_token=${token}` } });

/**
 * Calls the auth service as customers and the gateway do, so that its limits on failed logins also apply here.
 * Each call throws DomainError unavailable if auth is unavailable.
 */
export function createAuthClient(baseUrl: string | undefined) {
  function call(...asked: Parameters<ReturnType<typeof createHttpClient>['call']>) {
    if (baseUrl === undefined) throw unavailable('The auth service');
    // Checking a password is slow.
    const client = createHttpClient({ service: 'auth', baseUrl, timeoutMs: 6_000 });
    return client.call(...asked).then((answer) => ({ answer, read: client.read }));
  }

  return {
    /** @throws DomainError unauthenticated, forbidden for a locked account, rateLimited */
    async logIn(body: Credentials, userAgent: string | undefined): Promise<Login> {
      // A forwarded port always comes from 127.0.0.1, so the list of sessions and the queue of password checks get the console instead.
      const headers: Record<string, string> = userAgent === undefined ? {} : { 'user-agent': userAgent };
      const { answer, read } = await call('POST', '/auth/login', { body, clientAddress: 'console', headers });
      const { name } = read(accountOut, answer, refusals);
      const cookie = String(answer.headers['set-cookie']);
      const [, token] = /__store_jwt_token=([^;]+)/.exec(cookie) ?? [];
      const [, seconds] = /max-age=(\d+)/i.exec(cookie) ?? [];
      if (token === undefined || seconds === undefined) throw unavailable('The auth service');
      return { name, token, seconds: Number(seconds) };
    },
    /** @returns undefined for a token that is invalid or has ended, and for an API key */
    async check(token: string): Promise<{ accountId: string; roles: string[] } | undefined> {
      const { answer, read } = await call('GET', '/check', withToken(token));
      if (answer.status === 401) return undefined;
      read(z.undefined(), answer);
      const { 'id-account': id, 'account-roles': roles } = answer.headers;
      if (typeof id !== 'string') throw unavailable('The auth service');
      return { accountId: id, roles: String(roles ?? '').split(',') };
    },
    /** Ends the session of a token. Idempotent. */
    async logOut(token: string): Promise<void> {
      const { answer, read } = await call('GET', '/auth/logout', withToken(token));
      read(z.undefined(), answer);
    },
  };
}

/** Says what an operator can do while auth cannot identify anyone. */
export const authIsAway = (cause: DomainError) =>
  new DomainError('unavailable', `${cause.message} Meanwhile, log out and use the shared token.`, { cause });
