import { createHttpClient, type HttpClientOptions } from '@store/shared/http/client';
import { DomainError } from '@store/shared/values/errors';
import { z } from 'zod';

const confirmedOut = z.object({ isConfirmed: z.boolean() });

/** Accounts that are remembered, since an address stays confirmed: some megabytes. */
const maxRemembered = 50_000;

/** @throws DomainError forbidden for an account whose e-mail address is not confirmed, unavailable if auth cannot say */
export type MayOrder = (accountId: string) => Promise<void>;

/** Asks auth whether the e-mail address of an account is confirmed, once for each that is. */
export function onlyConfirmed(options: Pick<HttpClientOptions, 'baseUrl' | 'credential'>): MayOrder {
  const client = createHttpClient({ service: 'auth', timeoutMs: 2_000, ...options });
  const known = new Set<string>();

  return async (accountId) => {
    if (known.has(accountId)) return;
    const { status, body } = await client.call('GET', `/internal/accounts/${accountId}/confirmation`);
    const { success, data, error } = confirmedOut.safeParse(body);
    if (status !== 200 || !success) throw client.failed(error ?? new Error(`Status ${status}`));
    if (!data.isConfirmed) {
      throw new DomainError('forbidden', 'Confirm your e-mail address first: follow the link in the mail to it.', {
        code: 'email-not-confirmed',
      });
    }
    if (known.size >= maxRemembered) known.clear();
    known.add(accountId);
  };
}
