import { randomUUID } from 'node:crypto';
import { keyByKid } from '@store/shared/auth/bearer';
import { type SigningKey, type TokenKey, tokenAudience, tokenIssuer } from '@store/shared/auth/token-keys';
import { uuid } from '@store/shared/values/fields';
import { errors, jwtVerify, SignJWT } from 'jose';
import { LRUCache } from 'lru-cache';

interface Dependencies {
  /** Signs new tokens. */
  key: SigningKey;
  /** Still verify, so that a rotation logs nobody out. */
  previousKeys?: TokenKey[];
  ttlSeconds: number;
  /** Milliseconds since 1970. */
  clock?: () => number;
  newId?: () => string;
}

export type Tokens = ReturnType<typeof createTokens>;

const skewSeconds = 30;
/** The longest cookie that browsers keep; our tokens are a tenth of it. */
const maxTokenLength = 4096;
const compactJws = /^[\w-]+\.[\w-]+\.[\w-]+$/;

/** Platform tokens (contract 3.2). */
export function createTokens({
  key,
  previousKeys = [],
  ttlSeconds,
  clock = Date.now,
  newId = randomUUID,
}: Dependencies) {
  const keys = [key, ...previousKeys];
  const getKey = keyByKid(keys);
  // An explicit list: never `none`, never the choice of the token's header.
  const algorithms = [...new Set(keys.map(({ algorithm }) => algorithm))];
  // Valid tokens only, until they expire: a verification costs as much as the rest of a check.
  const verified = new LRUCache<string, { accountId: string; validUntil: number }>({ max: 10_000 });

  /** The account of a token that was verified before and has not expired since. */
  function remembered(token: string): string | undefined {
    const known = verified.get(token);
    return known !== undefined && clock() < known.validUntil ? known.accountId : undefined;
  }

  async function verify(token: string) {
    try {
      return await jwtVerify(token, getKey, {
        algorithms,
        issuer: tokenIssuer,
        audience: tokenAudience,
        clockTolerance: skewSeconds,
        requiredClaims: ['sub', 'jti', 'iat', 'nbf', 'exp'],
        currentDate: new Date(clock()),
      });
    } catch (error) {
      if (error instanceof errors.JOSEError) return undefined;
      throw error;
    }
  }

  return {
    remembered,
    issue(accountId: string): Promise<string> {
      const now = Math.floor(clock() / 1000);
      return new SignJWT()
        .setProtectedHeader({ alg: key.algorithm, typ: 'JWT', kid: key.kid })
        .setIssuer(tokenIssuer)
        .setAudience(tokenAudience)
        .setSubject(accountId)
        .setJti(newId())
        .setIssuedAt(now)
        .setNotBefore(now)
        .setExpirationTime(now + ttlSeconds)
        .sign(key.signingKey);
    },
    /** The account of a token, undefined if the token is invalid. */
    async resolve(token: string): Promise<string | undefined> {
      const known = remembered(token);
      if (known !== undefined) return known;
      if (token.length > maxTokenLength || !compactJws.test(token) || !isCanonical(token)) return undefined;
      const payload = (await verify(token))?.payload;
      const { success, data: accountId } = uuid.safeParse(payload?.sub);
      if (payload?.exp === undefined || !success) return undefined;
      verified.set(copy(token), { accountId, validUntil: (payload.exp + skewSeconds) * 1000 });
      return accountId;
    },
  };
}

/** The last base64 digit has unused bits, so that four spellings of one signature would all be valid. */
function isCanonical(token: string): boolean {
  const signature = token.slice(token.lastIndexOf('.') + 1);
  return Buffer.from(signature, 'base64url').toString('base64url') === signature;
}

/** A slice of a header would keep the whole header in memory. */
const copy = (token: string) => Buffer.from(token, 'latin1').toString('latin1');
