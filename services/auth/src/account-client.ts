import {
  type AccountIn,
  type AccountOut,
  accountOut,
  type Credentials,
  confirmedOut,
} from '@store/shared/contracts/account';
import { type Answer, createHttpClient } from '@store/shared/http/client';
import { problemSchema } from '@store/shared/http/problem';
import { DomainError } from '@store/shared/values/errors';
import type { ProblemCode } from '@store/shared/values/problem-types';

/** The account service counts the requests of an hour. */
const resetRetrySeconds = 600;

export type AccountClient = ReturnType<typeof createAccountClient>;

interface Options {
  baseUrl: string;
  timeoutMs?: number;
  credential?: string | undefined;
}

/** The internal paths of the account service. Each call throws DomainError unavailable if that service is. */
export function createAccountClient({ baseUrl, timeoutMs = 5_000, credential }: Options) {
  const client = createHttpClient({ service: 'account', baseUrl, timeoutMs, credential });

  function accountFrom({ body }: Answer): AccountOut {
    const { success, data, error } = accountOut.safeParse(body);
    if (success) return data;
    throw client.failed(error);
  }

  function unexpected(answer: Answer): DomainError {
    return answer.status === 400
      ? refusal('invalid', 'validation', answer)
      : client.failed(new Error(`Status ${answer.status}`));
  }

  /** Passes a problem of the account service on: it is meant for whoever made the request. */
  function refusal(
    kind: 'conflict' | 'forbidden' | 'invalid' | 'rateLimited',
    code: ProblemCode,
    { body }: Answer,
  ): DomainError {
    const { success, data, error } = problemSchema.safeParse(body);
    if (!success) return client.failed(error);
    return new DomainError(kind, data.detail ?? data.title, {
      code,
      ...(data.errors && { errors: data.errors }),
      ...(kind === 'rateLimited' && { retryAfterSeconds: resetRetrySeconds }),
    });
  }

  return {
    async find(accountId: string): Promise<AccountOut | undefined> {
      const answer = await client.call('GET', `/internal/accounts/${accountId}`);
      if (answer.status === 200) return accountFrom(answer);
      if (answer.status === 404) return undefined;
      throw unexpected(answer);
    },
    /** @throws DomainError invalid for a password that the account service rejects */
    async setPassword(accountId: string, password: string, clientAddress?: string): Promise<void> {
      const path = `/internal/accounts/${accountId}/password`;
      const answer = await client.call('PUT', path, { body: { password }, clientAddress });
      if (answer.status !== 204) throw unexpected(answer);
    },
    /** @throws DomainError conflict if the e-mail is taken, invalid for what only the account service rejects */
    async register(account: AccountIn, clientAddress?: string): Promise<AccountOut> {
      const answer = await client.call('POST', '/internal/accounts', { body: account, clientAddress });
      if (answer.status === 201) return accountFrom(answer);
      if (answer.status === 409) throw refusal('conflict', 'email-taken', answer);
      throw unexpected(answer);
    },
    /** @throws DomainError rateLimited */
    async requestReset(email: string, clientAddress?: string): Promise<void> {
      const answer = await client.call('POST', '/internal/password-resets', { body: { email }, clientAddress });
      if (answer.status === 429) throw refusal('rateLimited', 'too-many-resets', answer);
      if (answer.status !== 202) throw unexpected(answer);
    },
    /** @throws DomainError forbidden for a token that is not valid, invalid for a password that the account service rejects */
    async resetPassword(token: string, password: string, clientAddress?: string): Promise<AccountOut> {
      const path = '/internal/password-resets/confirmation';
      const answer = await client.call('POST', path, { body: { token, password }, clientAddress });
      if (answer.status === 200) return accountFrom(answer);
      throw answer.status === 403 ? refusal('forbidden', 'invalid-token', answer) : unexpected(answer);
    },
    /** @throws DomainError forbidden for a token that is not valid, conflict if the address has become another account's */
    async confirmEmail(token: string): Promise<void> {
      const answer = await client.call('POST', '/internal/email-confirmations', { body: { token } });
      if (answer.status === 403) throw refusal('forbidden', 'invalid-token', answer);
      if (answer.status === 409) throw refusal('conflict', 'email-taken', answer);
      if (answer.status !== 204) throw unexpected(answer);
    },
    /** @returns false for an account that is gone, too */
    async isConfirmed(accountId: string): Promise<boolean> {
      const answer = await client.call('GET', `/internal/accounts/${accountId}/confirmation`);
      if (answer.status === 404) return false;
      const { success, data, error } = confirmedOut.safeParse(answer.body);
      if (answer.status !== 200 || !success) throw client.failed(error ?? new Error(`Status ${answer.status}`));
      return data.isConfirmed;
    },
    /** @returns undefined if the e-mail or the password is wrong */
    async checkPassword(credentials: Credentials, clientAddress?: string): Promise<AccountOut | undefined> {
      const answer = await client.call('POST', '/internal/password-checks', { body: credentials, clientAddress });
      if (answer.status === 200) return accountFrom(answer);
      if (answer.status === 401) return undefined;
      throw unexpected(answer);
    },
  };
}
