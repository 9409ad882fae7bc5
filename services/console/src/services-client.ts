import { createHttpClient } from '@store/shared/http/client';
import { DomainError } from '@store/shared/values/errors';

/** Short, so that whoever waits at a page sees soon what does not answer. */
export const readMs = 3_000;
/** A redrive hands up to 100 letters to their handler, one at a time. */
export const patientMs = 60_000;

export type Services = ReturnType<typeof createServices>;

/** Calls the internal paths of services, as an operator (contract 3.7). */
export function createServices(addresses: ReadonlyMap<string, string>, credential: string | undefined) {
  async function send(
    method: 'GET' | 'POST' | 'PUT',
    service: string,
    path: string,
    { timeoutMs = patientMs, ...sent }: { timeoutMs?: number; body?: object; ifMatch?: string } = {},
  ) {
    const baseUrl = addresses.get(service);
    if (baseUrl === undefined) throw new DomainError('notFound', `There is no service ${service}.`);
    const client = createHttpClient({ service, baseUrl, timeoutMs, credential });
    const answer = await client.call(method, path, sent).catch((error: DomainError) => {
      if ((error.cause as Error).name === 'TimeoutError') throw late(service, timeoutMs, error);
      throw error;
    });
    if (answer.status < 400) return answer;
    const detail = (answer.body as { detail?: unknown } | undefined)?.detail;
    const said = typeof detail === 'string' ? detail : `Status ${answer.status}`;
    if (answer.status === 404) throw new DomainError('notFound', said);
    if (answer.status === 400) throw new DomainError('invalid', said);
    if (answer.status === 412) throw new DomainError('conflict', said);
    throw new DomainError('unavailable', `The ${service} service refuses: ${said}`);
  }

  /** With the entity tag of what was read. */
  const read = (service: string, path: string, timeoutMs = readMs) => send('GET', service, path, { timeoutMs });

  return {
    /** @throws DomainError notFound, invalid, unavailable; its message is the service's own */
    get: async (service: string, path: string, timeoutMs?: number) => (await read(service, path, timeoutMs)).body,
    read,
    post: async (service: string, path: string, body: object) => (await send('POST', service, path, { body })).body,
    put: async (service: string, path: string, body: object) => (await send('PUT', service, path, { body })).body,
    /**
     * Writes in the state that has this entity tag.
     * @throws DomainError conflict if it has another one by now
     */
    replace: async (service: string, path: string, body: object, ifMatch: string) =>
      (await send('PUT', service, path, { body, ifMatch })).body,
    /** @returns undefined if it is not there */
    find: (service: string, path: string, timeoutMs?: number): Promise<unknown> =>
      read(service, path, timeoutMs).then(
        ({ body }) => body,
        (error) => {
          if (error instanceof DomainError && error.kind === 'notFound') return undefined;
          throw error;
        },
      ),
  };
}

/** Says which service has not answered for how long. */
export const late = (service: string, ms: number, cause?: unknown) =>
  new DomainError('unavailable', `The ${service} service has not answered within ${ms / 1_000} s.`, { cause });
