import { accountDataPath, readAccountData } from '@store/shared/contracts/account-data';
import { createHttpClient } from '@store/shared/http/client';
import type { Customer } from './auth-client.ts';

/**
 * Reads the data that a service stores about an account, on behalf of the customer. Yields the records of each page as JSON, joined by
 * commas.
 * Each step throws DomainError unavailable if the service gives no valid answer within about 5 s or the signal is aborted.
 */
export type AccountData = (customer: Customer, signal: AbortSignal) => AsyncGenerator<string>;

export function createAccountDataClient(service: string, baseUrl: string): AccountData {
  const client = createHttpClient({ service, baseUrl, timeoutMs: 5_000 });

  return async function* (customer, signal) {
    for (let after: string | undefined; ; ) {
      const query = after === undefined ? '' : `after=${after}`;
      const page = await client.text(accountDataPath, { customer, query, signal }, readAccountData);
      yield page.records;
      if (page.next === undefined) return;
      after = page.next;
    }
  };
}
