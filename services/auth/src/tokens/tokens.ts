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
  /** Still verify, so that a rotation logs nobody out. */
  previousKeys?: TokenKey[];
  ttlSeconds: number;
  hasEnded: (session: Session) => boolean;
  /** Tells whether a token is, to the letter, an API key whose signing key is not known here. */
  isOrphanedKey?: (token: string) => boolean;
  /** Milliseconds since 1970. */
  clock?: () => number;
}

export type Tokens = ReturnType<typeof createTokens>;

/** Session that a login begins and its token stands for. Times are seconds since 1970. */
export interface Session {
  /** The token's `jti`. */
  id: string;
  accountId: string;
  /** When it began, with microseconds, by the clock of the database. */
  authenticatedAt: number;
  expiresAt: number;
  /** Absent for a session; an API key is for these alone (contract 3.12). */
  scopes?: readonly string[];
}

/** A session that a token stands for: one object while the token is remembered. */
export interface ResolvedSession extends Session {
  /** The last token that services got for it. */
  forServices?: { roles: readonly string[]; token: Promise<string>; until: number };
}

/** Audience of API keys: services know it not, so that a key past the gateway is nothing. */
const keyAudience = 'store-api-key';

/** The longest cookie that browsers keep; our tokens are a tenth of it. */
const maxTokenLength = 4096;
const compactJws = /^[\w-]+\.[\w-]+\.[\w-]+$/;

const claims = z.object({
  sub: uuid,
  jti: uuid,
  iat: z.number(),
  exp: z.number(),
  /** Absent in tokens of release 0.1. */
  auth_time: z.number().optional(),
  /** In the token of an API key alone. */
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
  // An explicit list: never `none`, never the choice of the token's header.
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
    further: { audience?: string; roles?: readonly string[] } = {},
  ) {
    const now = Math.floor(clock() / 1000);
    const { audience = tokenAudience, roles } = further;
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
    // So that a shorter life applies to older tokens too.
    return { id, accountId, authenticatedAt, expiresAt: Math.min(exp, iat + ttlSeconds) };
  }

  /** Reads a token, and remembers it if it is valid. */
  async function read(token: string): Promise<Session | undefined> {
    if (token.length > maxTokenLength || !compactJws.test(token) || !isCanonical(token)) return undefined;
    // Auth has made a token whose digest it has kept, so that its claims are true.
    const payload = (await verify(token))?.payload ?? (isOrphanedKey(token) ? decodeJwt(token) : undefined);
    const session = sessionIn(payload);
    if (session === undefined || session.expiresAt + clockSkewSeconds <= clock() / 1000) return undefined;
    verified.set(token, session.expiresAt, session);
    return session;
  }

  return {
    /** Of the key that signs new tokens. */
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
     * The token that services get in place of the session's own, for those that check tokens themselves (contract 3.6). It lives no
     * longer than a session, and is signed again at half of that, and when the roles change.
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
    /** Tells whether a token that was resolved to a session no longer would be: its key is unknown now, or its time over. */
    isOver: ({ kid, authenticatedAt, isApiKey }: Omit<GivenSession, 'id' | 'accountId'>): boolean =>
      (kid !== undefined && !keys.some((known) => known.kid === kid)) ||
      (!isApiKey && authenticatedAt + ttlSeconds <= clock() / 1000),
    /** The session of a token; undefined if the token is invalid or the session over. */
    async resolve(token: string): Promise<ResolvedSession | undefined> {
      const session = verified.get(token) ?? (await read(token));
      return session === undefined || hasEnded(session) ? undefined : session;
    },
  };
}

export const digestOf = (token: string): Buffer => createHash('sha256').update(token).digest();

/** The last base64 digit has unused bits, so that four spellings of one signature would all be valid. */
function isCanonical(token: string): boolean {
  const signature = token.slice(token.lastIndexOf('.') + 1);
  return Buffer.from(signature, 'base64url').toString('base64url') === signature;
}
