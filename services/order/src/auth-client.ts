import { confirmedOut } from '@store/shared/contracts/account';
import { createHttpClient, type HttpClientOptions } from '@store/shared/http/client';
import { DomainError } from '@store/shared/values/errors';
import { z } from 'zod';
import type { Session } from './live/session.ts';

/** Each session has six values, and a body may hold 1000 values (contract 2.5). */
const maxPerCheck = 100;
/** Confirmed accounts that are remembered, because an address stays confirmed. They take some megabytes. */
const maxRemembered = 50_000;

const checkOut = z.object({ ended: z.array(z.string()) });

export type AuthClient = ReturnType<typeof createAuthClient>;

/** The auth service. Each call throws DomainError unavailable if the service gives no valid answer. */
export function createAuthClient(options: Pick<HttpClientOptions, 'baseUrl' | 'credential'>) {
  const client = createHttpClient({ service: 'auth', timeoutMs: 2_000, ...options });
  const confirmed = new Set<string>();

  return {
    /** Returns the ids of the given sessions that have ended. */
    async findEnded(open: Session[]): Promise<Set<string>> {
      const all = new Set<string>();
      for (let from = 0; from < open.length; from += maxPerCheck) {
        const sessions = open.slice(from, from + maxPerCheck).map(({ expiresAt: _, ...session }) => session);
        const answer = await client.call('POST', '/internal/session-checks', { body: { sessions } });
        for (const id of client.read(checkOut, answer).ended) all.add(id);
      }
      return all;
    },

    /**
     * Asks auth once per account, if the account is confirmed.
     * @throws DomainError forbidden if the account's e-mail address is not confirmed
     */
    async mustBeConfirmed(accountId: string): Promise<void> {
      if (confirmed.has(accountId)) return;
      const answer = await client.call('GET', `/internal/accounts/${accountId}/confirmation`);
      if (!client.read(confirmedOut, answer).isConfirmed) {
        throw new DomainError('forbidden', 'Confirm your e-mail address first: follow the link that we mailed to it.', {
          code: 'email-not-confirmed',
        });
      }
      if (confirmed.size >= maxRemembered) confirmed.clear();
      confirmed.add(accountId);
    },
  };
}
