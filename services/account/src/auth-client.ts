import { createHttpClient, type Refusals } from '@store/shared/http/client';
import { z } from 'zod';

/** The customer of the current request. */
export interface Customer {
  accountId: string;
  authorization: string | undefined;
  clientAddress: string | undefined;
}

export type AuthClient = ReturnType<typeof createAuthClient>;

const refusals: Refusals = {
  401: ['unauthenticated'],
  403: ['forbidden', 'wrong-password'],
  429: ['rateLimited', 'too-many-failures'],
};

/** Calls the auth service on behalf of the customer. Each call throws DomainError unavailable if auth is unavailable. */
export function createAuthClient(baseUrl: string) {
  // Checking a password takes long.
  const client = createHttpClient({ service: 'auth', baseUrl, timeoutMs: 6_000 });

  async function call(method: 'POST' | 'DELETE', path: string, customer: Customer, body?: object): Promise<void> {
    const answer = await client.call(method, path, { customer, clientAddress: customer.clientAddress, body });
    client.read(z.undefined(), answer, refusals);
  }

  return {
    /**
     * Checks the customer's own password. A wrong one counts as a failed login.
     * @throws DomainError forbidden if it is wrong, rateLimited after too many wrong ones
     */
    checkPassword: (customer: Customer, email: string, password: string) =>
      call('POST', '/internal/own-password-checks', customer, { email, password }),
    /** Ends all sessions and API keys of the customer and deletes what auth has stored about them. */
    endSessions: (customer: Customer) => call('DELETE', '/internal/own-sessions', customer),
  };
}
