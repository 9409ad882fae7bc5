import { createHash, timingSafeEqual } from 'node:crypto';
import { DomainError } from '@store/shared/values/errors';
import { sleep } from '@store/shared/values/time';
import { jwtVerify, SignJWT } from 'jose';
import pLimit from 'p-limit';

export const sessionSeconds = 2 * 60 * 60;
/** How long a failed login takes. They are answered one after another: about one guess a second, whoever guesses. */
const failureMs = 1_000;
const maxWaiting = 10;

const digest = (text: string) => createHash('sha256').update(text).digest();

export type Sessions = ReturnType<typeof createSessions>;

/**
 * Sessions of people who have the token. Nothing is stored: a session is signed with a key that is derived from the token, so that
 * another token ends all of them.
 */
export function createSessions(
  token: string,
  clock = () => new Date(),
  delay: (ms: number) => Promise<unknown> = sleep,
) {
  const key = digest(`console session ${token}`);
  const known = digest(token);
  const oneAtATime = pLimit(1);

  async function check(given: string): Promise<void> {
    if (timingSafeEqual(digest(given), known)) return;
    await delay(failureMs);
    throw new DomainError('unauthenticated', 'The token is wrong.', { challenge: 'Cookie realm="console"' });
  }

  return {
    /**
     * @param name of the person, for what is logged
     * @returns the session, to be kept in a cookie
     * @throws DomainError unauthenticated, rateLimited
     */
    async begin(given: string, name: string): Promise<string> {
      if (oneAtATime.activeCount + oneAtATime.pendingCount >= maxWaiting) {
        throw new DomainError('rateLimited', 'Too many logins fail at present.', { retryAfterSeconds: 10 });
      }
      await oneAtATime(() => check(given));
      const issuedAt = Math.floor(clock().getTime() / 1000);
      return new SignJWT({ name })
        .setProtectedHeader({ alg: 'HS256' })
        .setIssuedAt(issuedAt)
        .setExpirationTime(issuedAt + sessionSeconds)
        .sign(key);
    },
    /** @returns whose session it is; undefined if it is none, or has expired */
    async nameOf(session: string | undefined): Promise<string | undefined> {
      if (session === undefined) return undefined;
      const options = { algorithms: ['HS256'], currentDate: clock(), requiredClaims: ['exp'] };
      const verified = await jwtVerify<{ name: string }>(session, key, options).catch(() => undefined);
      return verified?.payload.name;
    },
  };
}
