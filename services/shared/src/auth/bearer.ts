import { createRemoteJWKSet, errors, type JWTVerifyGetKey, jwtVerify } from 'jose';
import { DomainError, unavailable } from '../values/errors.ts';
import type { BearerConfig } from './config.ts';
import { importSecrets, scopedAudience, type TokenKey, tokenAudience, tokenIssuer } from './token-keys.ts';
import { clockSkewSeconds, createVerifiedTokens } from './verified-tokens.ts';

/** Refuses a header that does not prove the account. @returns the roles and scopes that it proves; undefined if validation is off */
export type BearerValidator = (authorization: string | undefined, accountId: string) => Proven | Promise<Proven>;

type Proven = Pick<Bearer, 'roles' | 'scopes'> | undefined;

/** The claims of a valid token about its bearer. */
interface Bearer {
  accountId: string;
  /** Undefined for a session; a list for an API key (contract 3.12). */
  scopes: readonly string[] | undefined;
  /** contract 3.9 */
  roles: readonly string[];
}

/**
 * Makes the validator that the environment configures. It checks platform tokens in the service itself (contract 3.6), with
 * secrets, with a key set (JWKS), or with both, such as during a migration between them.
 * @returns throws DomainError unauthenticated (401), or unavailable if the key set is
 */
export function bearerFrom(config: Partial<BearerConfig>): BearerValidator {
  // The gateway has checked the token, and `id-account` is enough (contract 2.3).
  if (config.BEARER_VALIDATION !== 'on') return () => undefined;
  const verify = createVerifier(config);
  const verified = createVerifiedTokens<Bearer>();

  return (authorization, accountId) => {
    const token = /^Bearer ([\w-]+\.[\w-]+\.[\w-]+)$/i.exec(authorization ?? '')?.[1];
    if (token === undefined)
      throw new DomainError('unauthenticated', 'The bearer token is missing.', { challenge: bearerChallenge });
    const known = verified.get(token);
    if (known !== undefined) return admitted(known, accountId);
    return verify(token).then(({ exp, ...bearer }) => {
      verified.set(token, exp, bearer);
      return admitted(bearer, accountId);
    });
  };
}

function createVerifier(config: Partial<BearerConfig>): (token: string) => Promise<Bearer & { exp: number }> {
  const secretKey = importSecrets(config).then(keyByKid);
  const url = config.BEARER_JWKS_URL;
  // A short cooldown, so that a new signing key is fetched at once.
  const publicKey =
    url === undefined ? url : createRemoteJWKSet(new URL(url), { timeoutDuration: 2_000, cooldownDuration: 1_000 });
  const options = {
    // An explicit list: the token's header never chooses the algorithm, and `none` is never accepted.
    algorithms: ['HS256', ...(publicKey ? ['RS256', 'PS256', 'ES256', 'EdDSA'] : [])],
    issuer: tokenIssuer,
    audience: [tokenAudience, scopedAudience],
    clockTolerance: clockSkewSeconds,
    requiredClaims: ['exp', 'nbf', 'sub'],
  };
  const getKey: JWTVerifyGetKey = async (header, token) =>
    header.alg === 'HS256' || publicKey === undefined ? (await secretKey)(header, token) : publicKey(header, token);

  return async (token) => {
    const { payload } = await jwtVerify(token, getKey, options).catch(explain);
    const { sub = '', exp = 0, scope, roles } = payload;
    return {
      accountId: sub.toLowerCase(),
      exp,
      scopes: scope === undefined ? undefined : typeof scope === 'string' ? scope.split(' ') : [],
      roles: Array.isArray(roles) ? roles : [],
    };
  };
}

function admitted(bearer: Bearer, accountId: string): Bearer {
  if (bearer.accountId === accountId) return bearer;
  throw refused('The bearer token belongs to another account.');
}

/** The token or credential in the header; empty without a header. */
export const bearerOf = (authorization = ''): string => authorization.replace(/^Bearer /i, '');

/** RFC 6750, 3 */
export const bearerChallenge = 'Bearer realm="store"';
const refused = (detail: string, cause?: unknown) =>
  new DomainError('unauthenticated', detail, { cause, challenge: `${bearerChallenge}, error="invalid_token"` });

/** Finds the key that a token's header names. jose turns a thrown error into a failed verification. */
export function keyByKid(keys: TokenKey[]): JWTVerifyGetKey {
  const byKid = new Map(keys.map((key) => [key.kid, key]));
  return ({ kid, alg }) => {
    const found = byKid.get(kid ?? '');
    // A key belongs to one algorithm; the header cannot choose another (RFC 8725, 3.1).
    if (found === undefined || found.algorithm !== alg) throw new errors.JWKSNoMatchingKey();
    return found.key;
  };
}

function explain(error: unknown): never {
  const isTokenFault =
    error instanceof errors.JOSEError &&
    !(error instanceof errors.JWKSTimeout) &&
    !(error instanceof errors.JWKSInvalid) &&
    error.code !== 'ERR_JOSE_GENERIC';
  if (isTokenFault) throw refused('The bearer token is not valid.', error);
  throw unavailable('The key server', error);
}
