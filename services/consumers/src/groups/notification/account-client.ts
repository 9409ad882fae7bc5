import { type MailTo, mailTo, type mailToIn } from '@store/shared/contracts/account';
import { createHttpClient, type HttpClientOptions } from '@store/shared/http/client';
import type { z } from 'zod';

export type AccountClient = ReturnType<typeof createAccountClient>;

export function createAccountClient(options: Pick<HttpClientOptions, 'baseUrl' | 'credential'>) {
  const client = createHttpClient({ service: 'account', timeoutMs: 2_000, ...options });

  return {
    /**
     * Returns what a mail to an account needs, with a new token for its link; undefined if the account does not exist or
     * the mail must no longer be sent.
     * @throws DomainError unavailable if the account service gives no valid answer within about 2 s
     */
    async mailTo(accountId: string, request: z.input<typeof mailToIn>): Promise<MailTo | undefined> {
      const answer = await client.call('POST', `/internal/accounts/${accountId}/mail`, { body: request });
      return answer.status === 404 ? undefined : client.read(mailTo, answer);
    },
  };
}
