import { createHttpClient, type HttpClientOptions } from '@store/shared/http/client';
import { z } from 'zod';
import type { Session } from './session.ts';

/** As many as fit into the body of a check (contract 3.7). */
const mostPerCheck = 200;

const checkOut = z.object({ ended: z.array(z.string()) });

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
