import { createHttpClient } from '@store/shared/http/client';
import { DomainError } from '@store/shared/values/errors';

/** A redrive hands up to 100 letters to their handler, one at a time. */
const timeoutMs = 60_000;

export type Services = ReturnType<typeof createServices>;

/** Calls the internal paths of services, as an operator (contract 3.7). */
export function createServices(addresses: ReadonlyMap<string, string>, credential: string | undefined) {
  const clients = new Map(
    [...addresses].map(([service, baseUrl]) => [
      service,
      createHttpClient({ service, baseUrl, timeoutMs, credential }),
    ]),
  );

  async function send(
    method: 'GET' | 'POST' | 'PUT',
    service: string,
    path: string,
    sent: { body?: object; ifMatch?: string } = {},
  ) {
    const client = clients.get(service);
    if (client === undefined) throw new DomainError('notFound', `There is no service ${service}.`);
    const answer = await client.call(method, path, sent);
    if (answer.status < 400) return answer;
    const detail = (answer.body as { detail?: unknown } | undefined)?.detail;
    const said = typeof detail === 'string' ? detail : `Status ${answer.status}`;
    if (answer.status === 404) throw new DomainError('notFound', said);
    if (answer.status === 400) throw new DomainError('invalid', said);
    if (answer.status === 412) throw new DomainError('conflict', said);
    throw new DomainError('unavailable', `The ${service} service refuses: ${said}`);
  }

  return {
    /** @throws DomainError notFound, invalid, unavailable; its message is the service's own */
    get: async (service: string, path: string) => (await send('GET', service, path)).body,
    /** With the entity tag of what was read. */
    read: (service: string, path: string) => send('GET', service, path),
    post: async (service: string, path: string, body: object) => (await send('POST', service, path, { body })).body,
    put: async (service: string, path: string, body: object) => (await send('PUT', service, path, { body })).body,
    /**
     * Writes in the state that has this entity tag.
     * @throws DomainError conflict if it has another one by now
     */
    replace: async (service: string, path: string, body: object, ifMatch: string) =>
      (await send('PUT', service, path, { body, ifMatch })).body,
    /** @returns undefined if it is not there */
    find: (service: string, path: string): Promise<unknown> =>
      send('GET', service, path).then(
        ({ body }) => body,
        (error) => {
          if (error instanceof DomainError && error.kind === 'notFound') return undefined;
          throw error;
        },
      ),
  };
}
