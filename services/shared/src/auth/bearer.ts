import { createRemoteJWKSet, errors, type JWTVerifyGetKey, jwtVerify } from 'jose';
import { DomainError, unavailable } from '../values/errors.ts';
import type { BearerConfig } from './config.ts';
import { importTokenKey, type TokenKey, tokenAlgorithm, tokenAudience, tokenIssuer } from './token-keys.ts';

/** Refuses a request whose `Authorization` header does not prove the expected account and scope. */
export type BearerValidator = (
  authorization: string | undefined,
  expected: { accountId: string; scope?: string | undefined },
) => void | Promise<void>;

/** The default: the gateway has checked the token and `id-account` is enough (contract 2.3). */
export const noBearer: BearerValidator = () => undefined;

export type BearerKeys = { secrets: TokenKey[] } | { jwksUrl: URL };

/** The validator that the environment configures; `requireBearerKeys` has made sure that there are keys. */
export async function bearerFrom(config: BearerConfig): Promise<BearerValidator> {
  if (config.BEARER_VALIDATION === 'off') return noBearer;
  if (config.BEARER_JWKS_URL !== undefined) return createBearerValidator({ jwksUrl: new URL(config.BEARER_JWKS_URL) });
  const secrets = [config.JWT_SECRET_KEY ?? '', ...config.JWT_PREVIOUS_SECRET_KEYS];
  return createBearerValidator({ secrets: await Promise.all(secrets.map(importTokenKey)) });
}

/**
 * Validates platform tokens in the service itself (contract 3.6).
 * @throws DomainError unauthenticated (401), forbidden for a missing scope (403), unavailable if the JWKS is
 */
export function createBearerValidator(keys: BearerKeys): BearerValidator {
  // An explicit list: never `none`, never the choice of the token's header.
  const algorithms = 'secrets' in keys ? [tokenAlgorithm] : ['RS256', 'PS256', 'ES256', 'EdDSA'];
  const getKey: JWTVerifyGetKey =
    'jwksUrl' in keys ? createRemoteJWKSet(keys.jwksUrl, { timeoutDuration: 2_000 }) : keyByKid(keys.secrets);

  return async (authorization, { accountId, scope }) => {
    const token = /^Bearer ([\w-]+\.[\w-]+\.[\w-]+)$/i.exec(authorization ?? '')?.[1];
    if (token === undefined)
      throw new DomainError('unauthenticated', 'The bearer token is missing.', { challenge: bearerChallenge });
    const { payload } = await jwtVerify(token, getKey, {
      algorithms,
      issuer: tokenIssuer,
      audience: tokenAudience,
      clockTolerance: 30,
      requiredClaims: ['exp', 'nbf', 'sub'],
    }).catch(explain);
    if (payload.sub?.toLowerCase() !== accountId) {
      throw refused('The bearer token belongs to another account.');
    }
    const scopes = typeof payload.scope === 'string' ? payload.scope.split(' ') : [];
    if (scope !== undefined && !scopes.includes(scope)) {
      const challenge = `${bearerChallenge}, error="insufficient_scope", scope="${scope}"`;
      throw new DomainError('forbidden', `The bearer token lacks the scope ${scope}.`, { challenge });
    }
  };
}

/** RFC 6750, 3 */
const bearerChallenge = 'Bearer realm="store"';
const refused = (detail: string, cause?: unknown) =>
  new DomainError('unauthenticated', detail, { cause, challenge: `${bearerChallenge}, error="invalid_token"` });

/** Finds the key that a token's header names. jose turns the error into a failed verification. */
export function keyByKid(keys: TokenKey[]): JWTVerifyGetKey {
  const byKid = new Map(keys.map(({ kid, key }) => [kid, key]));
  return ({ kid }) => {
    const key = byKid.get(kid ?? '');
    if (key === undefined) throw new errors.JWKSNoMatchingKey();
    return key;
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
