import { afterLoss, takesKey } from './after-loss.ts';
import { withApiKey } from './api-key.ts';
import { nextOf } from './link.ts';
import type { FullMethods, Methods } from './methods.ts';
import { operations } from './operations.ts';
import { type OrderEvent, type OrderEventsOptions, orderEvents } from './order-events.ts';
import { OutcomeUnknown } from './outcome-unknown.ts';
import { foreign, problemOf, redirectOf, StoreProblem } from './problem.ts';
import { type AnyInput, dataOf, headersOf, jsonOf, randomKey, urlOf } from './request.ts';
import { isLost, isRefusal, type RetryOptions, withRetries } from './retry.ts';
import type { CallOptions, Input, Item, ListId, OperationId, Output } from './types.ts';

export interface StoreOptions extends RetryOptions {
  /** Address of the gateway, such as `http://localhost:8080`. */
  url: string;
  /** Default: the platform's fetch. In Node it keeps no cookies; `keepCookies()` does. */
  fetch?: typeof fetch;
  /** Key from `makeApiKey`, instead of a login. For Node only: a page cannot set the header Cookie, and may not hold a key. */
  apiKey?: string;
}

/** A method for each operation of docs/openapi.yaml, by its operationId, and the lists as async iterators. */
export interface Store extends Methods {
  /** The same methods, which resolve to the whole reply: `data`, `etag`, `status` and `headers`. */
  readonly full: FullMethods;
  /** Each change of status of the caller's orders, as it happens. */
  orderEvents(options?: OrderEventsOptions): AsyncGenerator<OrderEvent, void, undefined>;
  /** The pages of a list, one after another. */
  pages<Id extends ListId>(
    id: Id,
    input?: Input<Id>,
    options?: CallOptions,
  ): AsyncGenerator<Output<Id>, void, undefined>;
  /** The items on the pages of a list. */
  each<Id extends ListId>(
    id: Id,
    input?: Input<Id>,
    options?: CallOptions,
  ): AsyncGenerator<Item<Output<Id>>, void, undefined>;
}

/** True if the body demands a version (contract 4.12). */
const namesVersion = (body: unknown) => ((body as { version?: unknown } | undefined)?.version ?? null) !== null;

interface AnyReply {
  response: Response;
  /** 204, whatever the response says, if a repetition found the deletion done. */
  status: number;
  data: unknown;
}

/**
 * Makes a client of the store. Its methods reject with a StoreProblem for a reply with status 400 or above, with OutcomeUnknown for a
 * change whose answer was lost, and otherwise with the error of fetch if there is no reply. Every order and shipment gets an
 * Idempotency-Key, unless it has one, so it can be repeated.
 */
export function createStore({ url, fetch: given = fetch, apiKey, ...defaults }: StoreOptions): Store {
  const send = apiKey === undefined ? given : withApiKey(apiKey, given);
  async function call(id: OperationId, input: AnyInput = {}, options: CallOptions = {}): Promise<AnyReply> {
    const [method, path] = operations[id];
    const { signal, idempotencyKey, ...retry } = { ...defaults, ...options };
    const target = urlOf(url, path, input);
    const body = input.body === undefined ? undefined : jsonOf(input.body);
    const headers = headersOf(input.header, options.headers);
    if (body !== undefined) headers.set('content-type', 'application/json');
    if (idempotencyKey !== undefined) headers.set('idempotency-key', idempotencyKey);
    const hasOwnKey = headers.has('idempotency-key');
    if (takesKey(id) && !hasOwnKey) headers.set('idempotency-key', randomKey());

    const attempt = async (limit: AbortSignal) => {
      // No Request object: Node drops its signal once the object is collected, even while its reply is being read.
      const init = { method: method.toUpperCase(), headers, body, signal: limit, redirect: 'manual' } as const;
      // For browsers: also send the cookie to a gateway of another origin.
      const response = await send(target, { ...init, credentials: 'include' });
      return { response, text: await response.text() };
    };
    const isGuarded = headers.has('if-match') || namesVersion(input.body);
    const rule = afterLoss(id, method, { isGuarded, hasOwnKey });
    const { answer, error, lost } = await withRetries(attempt, rule.isRepeatable, retry, signal);
    if (answer === undefined) throw rule.reportsUnknown ? new OutcomeUnknown(id, error) : error;

    const { response, text } = answer;
    const { status } = response;
    const failure = redirectOf(response) ?? (status >= 400 ? problemOf(response, text) : undefined);
    if (failure === undefined) return { response, status, data: dataOf(answer) };
    const found = lost && rule.readRefusal(status, lost.status);
    if (found === 'done') return { response, status: 204, data: undefined };
    const staysLost = isLost(status) || (lost !== undefined && (isRefusal(response) || status < 400));
    if (found === 'unclear' || (rule.reportsUnknown && staysLost)) throw new OutcomeUnknown(id, failure);
    throw failure;
  }

  async function* pages(id: ListId, input: AnyInput = {}, options?: CallOptions) {
    for (let query = input.query; ; ) {
      const { data, response } = await call(id, { ...input, query }, options);
      const items = Array.isArray(data) ? data : (data as { content?: unknown } | null | undefined)?.content;
      if (!Array.isArray(items)) throw foreign(response, 'a list', 'something else');
      yield { data, items };
      const next = nextOf(response);
      if (next === undefined) return;
      query = next;
    }
  }

  /** All methods by name. @param pick selects the part of the reply that they resolve to */
  const methods = (pick: (reply: AnyReply) => unknown) => {
    const methodOf = (id: OperationId) => {
      const method = async (input?: AnyInput, options?: CallOptions) => {
        try {
          return pick(await call(id, input, options));
        } catch (error) {
          throw error instanceof StoreProblem ? error.from(method) : error;
        }
      };
      return method;
    };
    return Object.fromEntries((Object.keys(operations) as OperationId[]).map((id) => [id, methodOf(id)]));
  };

  // `Store` types each operation; this code calls them untyped.
  return {
    ...methods(({ data }) => data),
    full: methods(({ response: { headers }, status, data }) => {
      return { status, data, etag: headers.get('etag') ?? undefined, headers };
    }),
    async *pages(id: ListId, input?: AnyInput, options?: CallOptions) {
      for await (const { data } of pages(id, input, options)) yield data;
    },
    async *each(id: ListId, input?: AnyInput, options?: CallOptions) {
      for await (const { items } of pages(id, input, options)) yield* items;
    },
    orderEvents: (options?: OrderEventsOptions) =>
      orderEvents(send, url, { attemptTimeoutMs: defaults.attemptTimeoutMs, ...options }),
  } as unknown as Store;
}
