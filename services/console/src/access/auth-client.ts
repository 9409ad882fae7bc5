import { accountOut, type Credentials } from '@store/shared/contracts/account';
import { createHttpClient, type Refusals } from '@store/shared/http/client';
import { DomainError, unavailable } from '@store/shared/values/errors';
import { z } from 'zod';

/** What auth says of a login. */
interface Login {
  name: string;
  token: string;
  /** How long the token lives at most. */
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
 * The auth service as its customers and the gateway see it, so that its limits on failed logins count here, too.
 * Each call throws DomainError unavailable if it is.
 */
export function createAuthClient(baseUrl: string | undefined) {
  function call(...asked: Parameters<ReturnType<typeof createHttpClient>['call']>) {
    if (baseUrl === undefined) throw unavailable('The auth service');
    // A password takes its time.
    const client = createHttpClient({ service: 'auth', baseUrl, timeoutMs: 6_000 });
    return client.call(...asked).then((answer) => ({ answer, read: client.read }));
  }

  return {
    /** @throws DomainError unauthenticated, forbidden for an account that is locked, rateLimited */
    async logIn(body: Credentials, userAgent: string | undefined): Promise<Login> {
      // Whoever has forwarded the port is at 127.0.0.1: in the list of sessions, and in the turns of passwords, it is the console.
      const headers: Record<string, string> = userAgent === undefined ? {} : { 'user-agent': userAgent };
      const { answer, read } = await call('POST', '/auth/login', { body, clientAddress: 'console', headers });
      const { name } = read(accountOut, answer, refusals);
      const cookie = String(answer.headers['set-cookie']);
      const [, token] = /__store_jwt_token=([^;]+)/.exec(cookie) ?? [];
      const [, seconds] = /max-age=(\d+)/i.exec(cookie) ?? [];
      if (token === undefined || seconds === undefined) throw unavailable('The auth service');
      return { name, token, seconds: Number(seconds) };
    },
    /** @returns undefined for a token that is not valid, or no longer, and for an API key */
    async check(token: string): Promise<{ accountId: string; roles: string[] } | undefined> {
      const { answer, read } = await call('GET', '/check', withToken(token));
      if (answer.status === 401) return undefined;
      read(z.undefined(), answer);
      const { 'id-account': id, 'account-roles': roles } = answer.headers;
      if (typeof id !== 'string') throw unavailable('The auth service');
      return { accountId: id, roles: String(roles ?? '').split(',') };
    },
    /** Ends the session of a token, once or again. */
    async logOut(token: string): Promise<void> {
      const { answer, read } = await call('GET', '/auth/logout', withToken(token));
      read(z.undefined(), answer);
    },
  };
}

/** Says what helps where nobody can say who somebody is. */
export const authIsAway = (cause: DomainError) =>
  new DomainError('unavailable', `${cause.message} Log out to log in with the shared token meanwhile.`, { cause });
