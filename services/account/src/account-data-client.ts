import { accountDataOut, accountDataPath } from '@store/shared/contracts/account-data';
import { createHttpClient } from '@store/shared/http/client';
import type { Customer } from './auth-client.ts';

/**
 * Reads what a service keeps about an account, on behalf of the customer: page by page, each a list of records. Each step throws
 * DomainError unavailable if the service gives no valid answer within about 5 s.
 */
export type AccountData = (customer: Customer) => AsyncGenerator<object[]>;

export function createAccountDataClient(service: string, baseUrl: string): AccountData {
  const client = createHttpClient({ service, baseUrl, timeoutMs: 5_000 });

  return async function* (customer) {
    for (let after: string | null = null; ; ) {
      const query = after === null ? '' : `after=${after}`;
      const answer = await client.call('GET', accountDataPath, { customer, query });
      const { records, next } = client.read(accountDataOut, answer);
      yield records;
      if (next === null) return;
      after = next;
    }
  };
}
