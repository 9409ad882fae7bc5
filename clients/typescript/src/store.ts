import createFetchClient from 'openapi-fetch';
import { operations } from './operations.ts';
import { type OrderEvent, type OrderEventsOptions, orderEvents } from './order-events.ts';
import { problemOf } from './problem.ts';
import { type RetryOptions, type Send, withRetries } from './retry.ts';
import type { paths, operations as schema } from './schema.ts';

export interface StoreOptions extends RetryOptions {
  /** Of the gateway, such as `http://localhost:8080`. */
  url: string;
  /** Default: that of the platform. Node keeps no cookies: pass one that does, such as `fetch-cookie`. */
  fetch?: typeof fetch;
}

export type OperationId = keyof typeof operations;

/** Those of T that have a value, at least as optional. */
type Present<T> = { [K in keyof T as [Exclude<T[K], undefined>] extends [never] ? never : K]: T[K] };
type Parameters<Id extends OperationId> = Present<Pick<schema[Id]['parameters'], 'query' | 'path' | 'header'>>;
type Body<Id extends OperationId> = schema[Id] extends { requestBody: { content: { 'application/json': infer B } } }
  ? { body: B }
  : unknown;
/** What an operation takes: `path`, `query`, `header` and `body`, as far as it has them. */
export type Input<Id extends OperationId> = Parameters<Id> & Body<Id>;

type Success = 200 | 201 | 202 | 204;
type Content<R> = R extends { content: infer C }
  ? [C] extends [never]
    ? undefined
    : C extends undefined
      ? undefined
      : C[keyof C]
  : undefined;
/** What it answers. */
export type Output<Id extends OperationId> = {
  [S in keyof schema[Id]['responses']]: S extends Success ? Content<schema[Id]['responses'][S]> : never;
}[keyof schema[Id]['responses']];

export interface CallOptions {
  signal?: AbortSignal;
}

type Method<Id extends OperationId> =
  Record<never, never> extends Input<Id>
    ? (input?: Input<Id>, options?: CallOptions) => Promise<Output<Id>>
    : (input: Input<Id>, options?: CallOptions) => Promise<Output<Id>>;

/** Operations whose pages are linked by `Link: rel="next"` (RFC 8288). */
export type ListId = 'listOrders' | 'listProducts' | 'listStatus';
type Item<Page> = Page extends (infer I)[] ? I : Page extends { content: (infer I)[] } ? I : never;

/** A method for each operation of docs/openapi.yaml, by its operationId, and the lists as async iterators. */
export type Store = { readonly [Id in OperationId]: Method<Id> } & {
  /** Each change of a status of the caller's orders, as it happens. */
  orderEvents(options?: OrderEventsOptions): AsyncGenerator<OrderEvent, void, undefined>;
  /** The pages of a list, one after another. */
  pages<Id extends ListId>(
    id: Id,
    input?: Input<Id>,
    options?: CallOptions,
  ): AsyncGenerator<Output<Id>, void, undefined>;
  /** What is on the pages of a list. */
  each<Id extends ListId>(
    id: Id,
    input?: Input<Id>,
    options?: CallOptions,
  ): AsyncGenerator<Item<Output<Id>>, void, undefined>;
};

interface AnyInput {
  path?: Record<string, string>;
  query?: Record<string, unknown>;
  header?: Record<string, string>;
  body?: unknown;
}

/**
 * A client of the store. Its methods reject with a StoreProblem for a reply from 400 up, and with what fetch rejects with
 * where there is none. An order gets an Idempotency-Key unless it has one, so that it can be repeated.
 */
export function createStore({ url, fetch: platformFetch = fetch, ...retry }: StoreOptions): Store {
  const send: Send = withRetries((request) => platformFetch(request), retry);
  // For a browser: the cookie also goes to a gateway of another origin.
  const client = createFetchClient<paths>({ baseUrl: url, fetch: send, credentials: 'include' });

  async function call(id: OperationId, input: AnyInput = {}, { signal }: CallOptions = {}) {
    const [method, path] = operations[id];
    const { body, header, ...parameters } = input;
    const withKey =
      id === 'placeOrder' && !header?.['idempotency-key']
        ? { ...header, 'idempotency-key': crypto.randomUUID() }
        : header;
    // The types of the operation are those of `Store`; here any of them may be called.
    const request = client.request as (
      method: string,
      path: string,
      init: object,
    ) => Promise<{ data?: unknown; response: Response }>;
    const { data, response } = await request(method, path, {
      params: { ...parameters, header: withKey },
      body,
      signal,
    });
    return { data, response };
  }

  async function* pages(id: ListId, input: AnyInput = {}, options?: CallOptions) {
    for (let query = input.query; ; ) {
      const { data, response } = await call(id, { ...input, query }, options);
      yield data;
      const next = nextOf(response);
      if (next === undefined) return;
      query = next;
    }
  }

  async function* each(id: ListId, input?: AnyInput, options?: CallOptions) {
    for await (const page of pages(id, input, options))
      yield* Array.isArray(page) ? page : (page as { content: unknown[] }).content;
  }

  client.use({
    async onResponse({ response }) {
      if (!response.ok) throw await problemOf(response);
    },
  });
  const methods = Object.keys(operations).map((id) => [
    id,
    async (input?: AnyInput, options?: CallOptions) => (await call(id as OperationId, input, options)).data,
  ]);
  return Object.assign(Object.fromEntries(methods), {
    ...{ pages, each },
    orderEvents: (options?: OrderEventsOptions) => orderEvents(platformFetch, url, options),
  });
}

/** The parameters of the next page; a repeated one is a list. */
function nextOf({ headers }: Response): Record<string, string | string[]> | undefined {
  const [, link] = /<([^>]*)>\s*;\s*rel="?next"?/.exec(headers.get('link') ?? '') ?? [];
  if (link === undefined) return undefined;
  const parameters = new URL(link, 'http://store').searchParams;
  return Object.fromEntries(
    [...new Set(parameters.keys())].map((name) => {
      const values = parameters.getAll(name);
      return [name, values.length === 1 ? (values[0] as string) : values];
    }),
  );
}
