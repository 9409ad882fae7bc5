import { type Call, createHttpClient, type Method } from '@store/shared/http/client';
import { DomainError, messageOf } from '@store/shared/values/errors';
import { z } from 'zod';

/** Short, so that a page soon shows which service does not answer. */
export const readMs = 3_000;
/** For slow requests: a redrive hands up to 100 letters to their handler, one at a time. */
export const maxWaitMs = 60_000;

export type Services = ReturnType<typeof createServices>;

interface Asked {
  timeoutMs?: number | undefined;
  /** Who reads a customer's data, for the audit trail. */
  operator?: string;
}

interface Handling {
  timeoutMs?: number | undefined;
  /** Whether 403 is about what the operator asks. Otherwise the console has the wrong credential. */
  forbids?: boolean;
}

const problemOut = z.object({ detail: z.string() });

/** Calls the internal paths of services as an operator (contract 3.7), and parses their replies with the schemas of the contracts. */
export function createServices(addresses: ReadonlyMap<string, string>, credential: string | undefined) {
  function clientOf(service: string, timeoutMs: number) {
    const baseUrl = addresses.get(service);
    if (baseUrl === undefined) throw new DomainError('notFound', `There is no service ${service}.`);
    return createHttpClient({ service, baseUrl, timeoutMs, credential });
  }

  /**
   * @returns the body, and the entity tag and the cursor of the next page if the reply has them
   * @throws DomainError notFound, invalid, forbidden, conflict, rateLimited, unavailable, with the message of the service. If a change
   *   may have happened despite the failure, the message says so.
   */
  async function call<T>(
    method: Method,
    service: string,
    path: string,
    schema: z.ZodType<T>,
    { timeoutMs = readMs, forbids = false, ...sent }: Call & Handling = {},
  ): Promise<{ body: T; etag: string | undefined; next: string | undefined }> {
    const client = clientOf(service, timeoutMs);
    const answer = await client.call(method, path, sent).catch((error: DomainError) => {
      const { name, code } = error.cause as NodeJS.ErrnoException;
      const told = name === 'TimeoutError' ? late(service, timeoutMs, error) : error;
      // A refused connection has carried no request.
      throw method === 'GET' || code === 'ECONNREFUSED' ? told : unknownOutcome(told);
    });
    const { status, etag, next } = answer;
    if (status < 400) return { body: client.read(schema, answer), etag, next };
    const said = problemOut.safeParse(answer.body).data?.detail ?? `Status ${status}`;
    if (status === 404) throw new DomainError('notFound', said);
    if (status === 400) throw new DomainError('invalid', said);
    if (status === 403 && forbids) throw new DomainError('forbidden', said);
    if (status === 413) throw new DomainError('tooLarge', said);
    if (status === 409 || status === 412) throw new DomainError('conflict', said);
    if (status === 429)
      throw new DomainError('rateLimited', said, { retryAfterSeconds: answer.retryAfterSeconds ?? 60 });
    throw new DomainError('unavailable', `The ${service} service refuses: ${said}`);
  }

  const get = async <T>(service: string, path: string, schema: z.ZodType<T>, asked: Asked = {}): Promise<T> =>
    (await call('GET', service, path, schema, asked)).body;

  return {
    call,
    get,
    /** A long answer as it comes. @throws DomainError notFound, unavailable */
    pieces: async (service: string, path: string, { timeoutMs = readMs, ...sent }: Asked = {}) =>
      clientOf(service, timeoutMs).pieces(path, sent),
    /** @returns undefined if the service answers 404 */
    find: <T>(...asked: Parameters<typeof get<T>>): Promise<T | undefined> =>
      get(...asked).catch((error) => {
        if (error instanceof DomainError && error.kind === 'notFound') return undefined;
        throw error;
      }),
  };
}

/** Says which service did not answer, and for how long. */
export const late = (service: string, ms: number, cause?: unknown) =>
  new DomainError('unavailable', `The ${service} service did not answer within ${ms / 1_000} s.`, { cause });

/** A service that is slow, or that fails while it answers, may still make the change. */
const unknownOutcome = ({ message, retryAfterSeconds }: DomainError) =>
  new DomainError(
    'unavailable',
    `${message} The change may have been made, or may still be made. Check before you try again.`,
    {
      retryAfterSeconds,
    },
  );

/** For a page made from several answers: collects failures as sentences. */
export function collecting() {
  const problems: string[] = [];
  return {
    problems,
    /** @param otherwise replaces an answer that fails */
    async or<T, U>(otherwise: U, answer: Promise<T>): Promise<T | U> {
      try {
        return await answer;
      } catch (error) {
        problems.push(messageOf(error));
        return otherwise;
      }
    },
  };
}
