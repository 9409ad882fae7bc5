import { createHttpClient } from '@store/shared/http/client';
import { problemSchema } from '@store/shared/http/problem';
import { DomainError, type ErrorKind } from '@store/shared/values/errors';
import type { ProblemCode } from '@store/shared/values/problem-types';

/** A customer, as the request that is being answered has them. */
export interface Customer {
  accountId: string;
  authorization: string | undefined;
  clientAddress: string | undefined;
}

export type AuthClient = ReturnType<typeof createAuthClient>;

const refusals: Record<number, [ErrorKind, ProblemCode | undefined]> = {
  401: ['unauthenticated', undefined],
  403: ['forbidden', 'wrong-password'],
  429: ['rateLimited', 'too-many-failures'],
};

/** The auth service, on behalf of the customer. Each call throws DomainError unavailable if it is. */
export function createAuthClient(baseUrl: string) {
  // A password takes its time.
  const client = createHttpClient({ service: 'auth', baseUrl, timeoutMs: 6_000 });

  async function call(method: 'POST' | 'DELETE', path: string, customer: Customer, body?: object): Promise<void> {
    const answer = await client.call(method, path, { customer, clientAddress: customer.clientAddress, body });
    if (answer.status === 204) return;
    const [kind, code] = refusals[answer.status] ?? [];
    const { success, data, error } = problemSchema.safeParse(answer.body);
    if (kind === undefined || !success) throw client.failed(error ?? new Error(`Status ${answer.status}`));
    throw new DomainError(kind, data.detail ?? data.title, {
      code,
      ...(kind === 'rateLimited' && { retryAfterSeconds: answer.retryAfterSeconds ?? 60 }),
    });
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
