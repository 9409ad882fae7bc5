import { createHash, randomUUID } from 'node:crypto';
import { keyByKid } from '@store/shared/auth/bearer';
import {
  type SigningKey,
  scopedAudience,
  type TokenKey,
  tokenAudience,
  tokenIssuer,
} from '@store/shared/auth/token-keys';
import { clockSkewSeconds, createVerifiedTokens } from '@store/shared/auth/verified-tokens';
import { uuid } from '@store/shared/values/fields';
import { decodeJwt, errors, jwtVerify, SignJWT } from 'jose';
import { z } from 'zod';
import type { GivenSession } from '../schemas.ts';

interface Dependencies {
  /** Signs new tokens. */
  key: SigningKey;
  /** Still verify tokens, so that a rotation logs nobody out. */
  previousKeys?: TokenKey[];
  ttlSeconds: number;
  hasEnded: (session: Session) => boolean;
  /** Whether a token is exactly an API key whose signing key is unknown here. */
  isOrphanedKey?: (token: string) => boolean;
  /** Milliseconds since 1970. */
  clock?: () => number;
}

export type Tokens = ReturnType<typeof createTokens>;

/** A session that a login begins, or an API key. Times are seconds since 1970. */
export interface Session {
  /** The token's `jti`. */
  id: string;
  accountId: string;
  /** When it began, with microseconds, by the database's clock. */
  authenticatedAt: number;
  expiresAt: number;
  /** Scopes of an API key, which limit it (contract 3.12). Absent for a session. */
  scopes?: readonly string[];
}

/** The session of a resolved token. It is the same object while the token stays in the cache. */
export interface ResolvedSession extends Session {
  /** The last token issued to services for it. */
  forServices?: { roles: readonly string[]; token: Promise<string>; until: number };
}

/** Audience of API keys. Services reject it, so a key that bypasses the gateway is worthless. */
const keyAudience = 'store-api-key';

/** Browsers keep no longer cookies; our tokens have a tenth of this length. */
const maxTokenLength = 4096;
const compactJws = /^[\w-]+\.[\w-]+\.[\w-]+$/;

const claims = z.object({
  sub: uuid,
  jti: uuid,
  iat: z.number(),
  exp: z.number(),
  /** Absent in tokens of release 0.1. */
  auth_time: z.number().optional(),
  /** Only in the token of an API key. */
  scope: z.string().optional(),
});

/** Platform tokens (contract 3.2). */
export function createTokens({
  key,
  previousKeys = [],
  ttlSeconds,
  hasEnded,
  isOrphanedKey = () => false,
  clock = Date.now,
}: Dependencies) {
  const keys = [key, ...previousKeys];
  const getKey = keyByKid(keys);
  // An explicit list, so that the token's header cannot choose the algorithm, such as `none`.
  const algorithms = [...new Set(keys.map(({ algorithm }) => algorithm))];
  const verified = createVerifiedTokens<ResolvedSession>(clock);

  async function verify(token: string) {
    try {
      return await jwtVerify(token, getKey, {
        algorithms,
        issuer: tokenIssuer,
        audience: [tokenAudience, scopedAudience, keyAudience],
        clockTolerance: clockSkewSeconds,
        requiredClaims: ['sub', 'jti', 'iat', 'nbf', 'exp'],
        currentDate: new Date(clock()),
      });
    } catch (error) {
      if (error instanceof errors.JOSEError) return undefined;
      throw error;
    }
  }

  function sign(
    { id, accountId, authenticatedAt, expiresAt, scopes }: Session,
    extra: { audience?: string; roles?: readonly string[] } = {},
  ) {
    const now = Math.floor(clock() / 1000);
    const { audience = tokenAudience, roles } = extra;
    return new SignJWT({
      auth_time: authenticatedAt,
      ...(scopes && { scope: scopes.join(' ') }),
      ...(roles && { roles }),
    })
      .setProtectedHeader({ alg: key.algorithm, typ: 'JWT', kid: key.kid })
      .setIssuer(tokenIssuer)
      .setAudience(audience)
      .setSubject(accountId)
      .setJti(id)
      .setIssuedAt(now)
      .setNotBefore(now)
      .setExpirationTime(expiresAt)
      .sign(key.signingKey);
  }

  function sessionIn(payload: unknown): Session | undefined {
    const { success, data } = claims.safeParse(payload);
    if (!success) return undefined;
    const { sub: accountId, jti: id, iat, exp, auth_time: authenticatedAt = iat, scope } = data;
    if (scope !== undefined) return { id, accountId, authenticatedAt, expiresAt: exp, scopes: scope.split(' ') };
    // A shorter JWT_TTL_SECONDS also applies to tokens issued before.
    return { id, accountId, authenticatedAt, expiresAt: Math.min(exp, iat + ttlSeconds) };
  }

  /** Reads a token and caches it if it is valid. */
  async function read(token: string): Promise<Session | undefined> {
    if (token.length > maxTokenLength || !compactJws.test(token) || !isCanonical(token)) return undefined;
    // Auth stores digests only of tokens that it has made, so the claims of such a token are genuine.
    const payload = (await verify(token))?.payload ?? (isOrphanedKey(token) ? decodeJwt(token) : undefined);
    const session = sessionIn(payload);
    if (session === undefined || session.expiresAt + clockSkewSeconds <= clock() / 1000) return undefined;
    verified.set(token, session.expiresAt, session);
    return session;
  }

  return {
    /** Id of the key that signs new tokens. */
    kid: key.kid,
    /** @param authenticatedAt see Session */
    async issue(accountId: string, authenticatedAt: number): Promise<{ token: string; session: Session }> {
      const expiresAt = Math.floor(clock() / 1000) + ttlSeconds;
      const session = { id: randomUUID(), accountId, authenticatedAt, expiresAt };
      return { token: await sign(session), session };
    },
    /** Makes the token of an API key. */
    issueKey: (key: Session): Promise<string> => sign(key, { audience: keyAudience }),
    /**
     * Returns the token that services get instead of the session's own, for services that check tokens themselves (contract 3.6). It
     * lives no longer than a session. A new one is signed after half of that time and when the roles change.
     */
    forServices(session: ResolvedSession, roles: readonly string[]): Promise<string> {
      const now = Math.floor(clock() / 1000);
      const last = session.forServices;
      if (last?.roles === roles && now < last.until) return last.token;
      const audience = session.scopes ? scopedAudience : tokenAudience;
      const token = sign({ ...session, expiresAt: Math.min(session.expiresAt, now + ttlSeconds) }, { roles, audience });
      session.forServices = { roles, token, until: now + ttlSeconds / 2 };
      return token;
    },
    /** Whether a token that resolved before would no longer resolve: its key was dropped or its lifetime is over. */
    hasLapsed: ({ kid, authenticatedAt, isApiKey }: Omit<GivenSession, 'id' | 'accountId'>): boolean =>
      (kid !== undefined && !keys.some((known) => known.kid === kid)) ||
      (!isApiKey && authenticatedAt + ttlSeconds <= clock() / 1000),
    /** Returns the session of a token; undefined if the token is invalid or the session has ended. */
    async resolve(token: string): Promise<ResolvedSession | undefined> {
      const session = verified.get(token) ?? (await read(token));
      return session === undefined || hasEnded(session) ? undefined : session;
    },
  };
}

export const digestOf = (token: string): Buffer => createHash('sha256').update(token).digest();

/** The last base64 digit has unused bits, so four spellings of a signature would decode to the same bytes. */
function isCanonical(token: string): boolean {
  const signature = token.slice(token.lastIndexOf('.') + 1);
  return Buffer.from(signature, 'base64url').toString('base64url') === signature;
}
