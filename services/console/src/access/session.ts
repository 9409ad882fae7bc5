import { createHash, timingSafeEqual } from 'node:crypto';
import type { Credentials } from '@store/shared/contracts/account';
import { lacksRole } from '@store/shared/http/identity';
import { DomainError } from '@store/shared/values/errors';
import { sleep } from '@store/shared/values/time';
import { EncryptJWT, jwtDecrypt } from 'jose';
import pLimit from 'p-limit';
import type { AuthClient } from './auth-client.ts';

/** How long a session with the shared token lasts. */
export const sharedSeconds = 2 * 60 * 60;
/** How long a failed login takes. They are answered one at a time, so all clients together get about one guess a second. */
const failureMs = 1_000;
const maxWaiting = 10;

const digest = (text: string) => createHash('sha256').update(text).digest();

/** A logged-in person. */
export interface Operator {
  /** As the audit trail stores it: the account's id, or the name typed with the shared token, marked so it cannot pass for an account. */
  actor: string;
  name: string;
  isShared: boolean;
}

/** A session, and how long its cookie lasts. */
interface Begun {
  session: string;
  seconds: number;
}

export type Sessions = ReturnType<typeof createSessions>;

/**
 * Sessions of operators: with an account of the store, which auth checks on each request, or with the console's token, for when auth is
 * unavailable. Nothing is stored. The cookie holds the session, encrypted with a key derived from the token: a new token ends all
 * sessions, and a server on another port of the machine, which also receives the cookie, cannot read it.
 */
export function createSessions(
  token: string,
  auth: AuthClient,
  clock = () => new Date(),
  delay: (ms: number) => Promise<unknown> = sleep,
) {
  const key = digest(`console session ${token}`);
  const known = digest(token);
  const oneAtATime = pLimit(1);

  async function mustBeToken(given: string): Promise<void> {
    if (timingSafeEqual(digest(given), known)) return;
    await delay(failureMs);
    throw new DomainError('unauthenticated', 'The token is wrong.', { challenge: 'Cookie realm="console"' });
  }

  async function seal(payload: Payload, seconds: number): Promise<Begun> {
    const issuedAt = Math.floor(clock().getTime() / 1000);
    const session = await new EncryptJWT({ ...payload })
      .setProtectedHeader({ alg: 'dir', enc: 'A256GCM' })
      .setIssuedAt(issuedAt)
      .setExpirationTime(issuedAt + seconds)
      .encrypt(key);
    return { session, seconds };
  }

  /** @returns the payload of a session; undefined if the session is invalid or has expired */
  async function payloadOf(session: string | undefined): Promise<Payload | undefined> {
    if (session === undefined) return undefined;
    const options = {
      keyManagementAlgorithms: ['dir'],
      contentEncryptionAlgorithms: ['A256GCM'],
      currentDate: clock(),
      requiredClaims: ['exp'],
    };
    return (await jwtDecrypt<Payload>(session, key, options).catch(() => undefined))?.payload;
  }

  const accountOf = async (storeToken: string) => {
    const found = await auth.check(storeToken);
    return found?.roles.includes('operator') ? found.accountId : undefined;
  };

  return {
    /**
     * Begins a session with the shared token.
     * @param name of the person, which is not checked
     * @throws DomainError unauthenticated, rateLimited
     */
    async beginShared(given: string, name: string): Promise<Begun> {
      if (oneAtATime.activeCount + oneAtATime.pendingCount >= maxWaiting) {
        throw new DomainError('rateLimited', 'Too many logins are failing at present.', { retryAfterSeconds: 10 });
      }
      await oneAtATime(() => mustBeToken(given));
      return seal({ name }, sharedSeconds);
    },
    /**
     * Begins a session of an account with the role operator. This also begins a session of the store.
     * @throws DomainError unauthenticated, forbidden, rateLimited, unavailable
     */
    async begin(credentials: Credentials, userAgent: string | undefined): Promise<Begun> {
      const { name, token: storeToken, seconds } = await auth.logIn(credentials, userAgent);
      if ((await accountOf(storeToken)) === undefined) {
        await auth.logOut(storeToken);
        throw lacksRole('operator');
      }
      return seal({ name, token: storeToken }, seconds);
    },
    /**
     * @returns the operator; undefined if the session is invalid or has ended, or the account is no longer an operator
     * @throws DomainError unavailable if auth does not answer
     */
    async operatorOf(session: string | undefined): Promise<Operator | undefined> {
      const payload = await payloadOf(session);
      if (payload === undefined) return undefined;
      const { name, token: storeToken } = payload;
      if (storeToken === undefined) return { actor: `${name} (shared token)`, name, isShared: true };
      const accountId = await accountOf(storeToken);
      return accountId === undefined ? undefined : { actor: accountId, name, isShared: false };
    },
    /** Ends the session of the store that belongs to it, if any. @throws DomainError unavailable if that has not ended */
    async end(session: string | undefined): Promise<void> {
      const storeToken = (await payloadOf(session))?.token;
      if (storeToken !== undefined) await auth.logOut(storeToken);
    },
  };
}

interface Payload {
  name: string;
  /** Token of the store, which never reaches a page. Absent in a session with the shared token. */
  token?: string;
}
