import { createHttpClient, type HttpClientOptions } from '@store/shared/http/client';
import { DomainError } from '@store/shared/values/errors';
import { decodeJwt, decodeProtectedHeader } from 'jose';
import { z } from 'zod';

/** Session of a token (contract 3.2). Times are seconds since 1970. */
export interface Session {
  id: string;
  accountId: string;
  authenticatedAt: number;
  expiresAt: number;
  /** Names the key that signed it: the session ends with that. */
  kid?: string | undefined;
}

/** As many as fit into the body of a check (contract 3.7). */
const mostPerCheck = 200;

const token = z.object({
  kid: z.string().optional(),
  jti: z.string(),
  sub: z.string().toLowerCase(),
  iat: z.number(),
  exp: z.number(),
  auth_time: z.number().optional(),
});
const checkOut = z.object({ ended: z.array(z.string()) });

/**
 * The session of a request. The gateway has checked the token, and the service may have done so again (contract 3.6).
 * @throws DomainError unauthenticated without a token of the account
 */
export function sessionOf(authorization: string | undefined, accountId: string): Session {
  const { success, data } = token.safeParse(decoded(authorization?.replace(/^Bearer /i, '') ?? ''));
  if (!success || data.sub !== accountId) {
    throw new DomainError('unauthenticated', 'The bearer token of the session is missing.');
  }
  const { jti: id, iat, exp: expiresAt, auth_time: authenticatedAt = iat, kid } = data;
  return { id, accountId, authenticatedAt, expiresAt, kid };
}

function decoded(token: string): unknown {
  try {
    return { ...decodeJwt(token), kid: decodeProtectedHeader(token).kid };
  } catch {
    return undefined;
  }
}

export type SessionCheck = (sessions: Session[]) => Promise<Set<string>>;

/** Asks auth which sessions have ended: their ids. The call throws DomainError unavailable if auth cannot say. */
export function createSessionCheck(options: Pick<HttpClientOptions, 'baseUrl' | 'credential'>): SessionCheck {
  const client = createHttpClient({ service: 'auth', timeoutMs: 2_000, ...options });

  async function endedOf(sessions: Session[]): Promise<string[]> {
    const body = { sessions: sessions.map(({ expiresAt: _, ...session }) => session) };
    const answer = await client.call('POST', '/internal/session-checks', { body });
    const { success, data, error } = checkOut.safeParse(answer.body);
    if (answer.status === 200 && success) return data.ended;
    throw client.failed(error ?? new Error(`Status ${answer.status}`));
  }

  return async (sessions) => {
    const ended = new Set<string>();
    for (let from = 0; from < sessions.length; from += mostPerCheck) {
      for (const id of await endedOf(sessions.slice(from, from + mostPerCheck))) ended.add(id);
    }
    return ended;
  };
}
