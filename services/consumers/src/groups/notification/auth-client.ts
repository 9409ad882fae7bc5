import { answerableOut } from '@store/shared/contracts/account';
import { createHttpClient, type HttpClientOptions } from '@store/shared/http/client';

export type AnswerableOperator = (accountId: string) => Promise<string | undefined>;

/**
 * Returns a function that tells who is to hear what becomes of the work of an account: itself, or the one who made the service account;
 * undefined if that is no operator any more. It throws DomainError unavailable if auth gives no valid answer, such as that of the last
 * release.
 */
export function createAuthClient(options: Pick<HttpClientOptions, 'baseUrl' | 'credential'>): AnswerableOperator {
  // Auth asks account.
  const client = createHttpClient({ service: 'auth', timeoutMs: 6_000, ...options });
  return async (accountId) => {
    const answer = await client.call('GET', `/internal/accounts/${accountId}/answerable-operator`);
    return client.read(answerableOut, answer).operatorId ?? undefined;
  };
}
