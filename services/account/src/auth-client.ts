import { createHttpClient, type Refusals } from '@store/shared/http/client';
import { z } from 'zod';

/** A customer, as the request that is being answered has them. */
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

/** The auth service, on behalf of the customer. Each call throws DomainError unavailable if it is. */
export function createAuthClient(baseUrl: string) {
  // A password takes its time.
  const client = createHttpClient({ service: 'auth', baseUrl, timeoutMs: 6_000 });

  async function call(method: 'POST' | 'DELETE', path: string, customer: Customer, body?: object): Promise<void> {
    const answer = await client.call(method, path, { customer, clientAddress: customer.clientAddress, body });
    client.read(z.undefined(), answer, refusals);
  }

  return {
    /**
     * Checks the customer's own password; wrong ones are counted as those of logins are.
     * @throws DomainError forbidden if it is wrong, rateLimited after too many
     */
    checkPassword: (customer: Customer, email: string, password: string) =>
      call('POST', '/internal/own-password-checks', customer, { email, password }),
    /** Ends all sessions of the customer, and forgets where they began. */
    endSessions: (customer: Customer) => call('DELETE', '/internal/own-sessions', customer),
  };
}
