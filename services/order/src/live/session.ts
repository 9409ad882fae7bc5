import { bearerOf } from '@store/shared/auth/bearer';
import { DomainError, tryParse } from '@store/shared/values/errors';
import { decodeJwt, decodeProtectedHeader } from 'jose';
import { z } from 'zod';

/** Session of a token (contract 3.2). Times are seconds since 1970. */
export interface Session {
  id: string;
  accountId: string;
  authenticatedAt: number;
  expiresAt: number;
  /** Id of the key that signed the token. The session ends with the key. */
  kid?: string | undefined;
  /** An API key lasts as long as its token, regardless of when it was created. */
  isApiKey: boolean;
}

const token = z.object({
  kid: z.string().optional(),
  jti: z.string(),
  sub: z.string().toLowerCase(),
  iat: z.number(),
  exp: z.number(),
  auth_time: z.number().optional(),
  scope: z.string().optional(),
});

/**
 * The session of a request. The gateway has checked the token, and the service may have checked it again (contract 3.6).
 * @throws DomainError unauthenticated if there is no token of the account
 */
export function sessionOf(authorization: string | undefined, accountId: string): Session {
  const bearer = bearerOf(authorization);
  const claimed = tryParse(() => ({ ...decodeJwt(bearer), kid: decodeProtectedHeader(bearer).kid }));
  const { success, data } = token.safeParse(claimed);
  if (!success || data.sub !== accountId) {
    throw new DomainError('unauthenticated', 'The bearer token of the session is missing.');
  }
  const { jti: id, iat, exp: expiresAt, auth_time: authenticatedAt = iat, kid, scope } = data;
  return { id, accountId, authenticatedAt, expiresAt, kid, isApiKey: scope !== undefined };
}
