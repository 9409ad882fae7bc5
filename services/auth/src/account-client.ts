import {
  type AccountIn,
  type AccountOut,
  accountOut,
  type Credentials,
  confirmedOut,
  type ResetOut,
  resetOut,
} from '@store/shared/contracts/account';
import { type Answer, createHttpClient, type HttpClientOptions, type Refusals } from '@store/shared/http/client';
import { z } from 'zod';

const malformed: Refusals = { 400: ['invalid', 'validation'] };
const badToken: Refusals = { 403: ['forbidden', 'invalid-token'] };
const taken: Refusals = { 409: ['conflict', 'email-taken'] };
const tooMany: Refusals = { 429: ['rateLimited', 'too-many-resets'] };

const nothing = z.undefined();

export type AccountClient = ReturnType<typeof createAccountClient>;

/** Calls the internal paths of the account service. Each call throws DomainError unavailable if that service is unavailable. */
export function createAccountClient(options: Omit<HttpClientOptions, 'service' | 'timeoutMs'>) {
  const client = createHttpClient({ service: 'account', timeoutMs: 5_000, ...options });

  const read = <T>(schema: z.ZodType<T>, answer: Answer, refusals: Refusals = {}): T =>
    client.read(schema, answer, { ...malformed, ...refusals });

  return {
    async find(accountId: string): Promise<AccountOut | undefined> {
      const answer = await client.call('GET', `/internal/accounts/${accountId}`);
      return answer.status === 404 ? undefined : read(accountOut, answer);
    },
    /** @throws DomainError invalid for a password that the account service rejects */
    async setPassword(accountId: string, password: string, clientAddress?: string): Promise<void> {
      const path = `/internal/accounts/${accountId}/password`;
      read(nothing, await client.call('PUT', path, { body: { password }, clientAddress }));
    },
    /** @throws DomainError conflict if the e-mail is taken, invalid for input that only the account service rejects */
    async register(account: AccountIn, clientAddress?: string): Promise<AccountOut> {
      return read(accountOut, await client.call('POST', '/internal/accounts', { body: account, clientAddress }), taken);
    },
    /** @throws DomainError rateLimited */
    async requestReset(email: string, clientAddress?: string): Promise<void> {
      const sent = { body: { email }, clientAddress };
      read(nothing, await client.call('POST', '/internal/password-resets', sent), tooMany);
    },
    /** @throws DomainError forbidden for an invalid token, invalid for a password that the account service rejects */
    async resetPassword(token: string, password: string, clientAddress?: string): Promise<ResetOut> {
      const sent = { body: { token, password }, clientAddress };
      return read(resetOut, await client.call('POST', '/internal/password-resets/confirmation', sent), badToken);
    },
    /** Asks the account service to tell an account by mail about a new API key. Repeated calls for a key send one mail. */
    async announceKey(accountId: string, keyId: string): Promise<void> {
      const answer = await client.call('PUT', `/internal/accounts/${accountId}/new-keys/${keyId}`);
      // The account has been deleted, or the account service is of the previous release.
      if (answer.status !== 404) read(nothing, answer);
    },
    /** Invalidates the links in all mails to an account. */
    async endMailRequests(accountId: string): Promise<void> {
      const answer = await client.call('DELETE', `/internal/accounts/${accountId}/mail-requests`);
      // An account service of the previous release does not know the path.
      if (answer.status !== 404) read(nothing, answer);
    },
    /** @throws DomainError forbidden for an invalid token, conflict if another account has taken the address */
    async confirmEmail(token: string): Promise<void> {
      const answer = await client.call('POST', '/internal/email-confirmations', { body: { token } });
      read(nothing, answer, { ...badToken, ...taken });
    },
    /** @returns false also if the account has been deleted */
    async isConfirmed(accountId: string): Promise<boolean> {
      const answer = await client.call('GET', `/internal/accounts/${accountId}/confirmation`);
      return answer.status !== 404 && read(confirmedOut, answer).isConfirmed;
    },
    /** @returns undefined if the e-mail or the password is wrong */
    async checkPassword(credentials: Credentials, clientAddress?: string): Promise<AccountOut | undefined> {
      const answer = await client.call('POST', '/internal/password-checks', { body: credentials, clientAddress });
      return answer.status === 401 ? undefined : read(accountOut, answer);
    },
  };
}
