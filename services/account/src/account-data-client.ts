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
      const { status, body } = await client.call('GET', accountDataPath, { customer, query });
      const { success, data, error } = accountDataOut.safeParse(body);
      if (status !== 200 || !success) throw client.failed(error ?? new Error(`Status ${status}`));
      yield data.records;
      if (data.next === null) return;
      after = data.next;
    }
  };
}
