import { problemSchema } from '@store/shared/http/problem';
import { currentTrace, inSpan } from '@store/shared/observability/trace-context';
import { DomainError } from '@store/shared/values/errors';
import { type AccountIn, type AccountOut, accountOut, type Credentials } from './schemas.ts';

export type AccountClient = ReturnType<typeof createAccountClient>;

interface Answer {
  status: number;
  body: unknown;
}

/** The internal paths of the account service. Each call throws DomainError unavailable when that service is away. */
export function createAccountClient({ url, timeoutMs = 5_000 }: { url: string; timeoutMs?: number }) {
  const post = (path: string, body: object): Promise<Answer> =>
    inSpan({ name: `POST ${path}`, kind: 'client', attributes: { 'peer.service': 'account' } }, () => send(path, body));

  async function send(path: string, body: object): Promise<Answer> {
    const trace = currentTrace();
    try {
      const response = await fetch(`${url}${path}`, {
        method: 'POST',
        headers: { 'content-type': 'application/json', ...(trace && { traceparent: trace.traceparent }) },
        body: JSON.stringify(body),
        redirect: 'error',
        signal: AbortSignal.timeout(timeoutMs),
      });
      const text = await response.text();
      if (response.status >= 500)
        throw away(new Error(`It answers ${response.status}`), response.headers.get('retry-after'));
      return { status: response.status, body: JSON.parse(text) };
    } catch (error) {
      throw error instanceof DomainError ? error : away(error);
    }
  }

  return {
    /** @throws DomainError conflict when the e-mail is taken, invalid for what the account service alone refuses */
    async register(account: AccountIn): Promise<AccountOut> {
      const answer = await post('/internal/accounts', account);
      if (answer.status === 201) return accountFrom(answer);
      if (answer.status === 409) throw refusal('conflict', 'email-taken', answer);
      throw otherwise(answer);
    },
    /** @returns undefined when the e-mail or the password is wrong */
    async checkPassword(credentials: Credentials): Promise<AccountOut | undefined> {
      const answer = await post('/internal/password-checks', credentials);
      if (answer.status === 200) return accountFrom(answer);
      if (answer.status === 401) return undefined;
      throw otherwise(answer);
    },
  };
}

function accountFrom({ body }: Answer): AccountOut {
  const { success, data, error } = accountOut.safeParse(body);
  if (success) return data;
  throw away(error);
}

function otherwise(answer: Answer): DomainError {
  return answer.status === 400
    ? refusal('invalid', 'validation', answer)
    : away(new Error(`It answers ${answer.status}`));
}

/** What the account service says to a request is meant for the one who made it. */
function refusal(kind: 'conflict' | 'invalid', code: string, { body }: Answer): DomainError {
  const { success, data, error } = problemSchema.safeParse(body);
  if (!success) return away(error);
  return new DomainError(kind, data.detail ?? data.title, { code, ...(data.errors && { errors: data.errors }) });
}

function away(cause: unknown, retryAfter?: string | null): DomainError {
  const retryAfterSeconds = /^\d{1,3}$/.test(retryAfter ?? '') ? Number(retryAfter) : 1;
  return new DomainError('unavailable', 'The account service is not available at the moment. Try again shortly.', {
    cause,
    retryAfterSeconds,
  });
}
