import { request } from 'undici';
import type { z } from 'zod';
import { currentTrace, inSpan } from '../observability/trace-context.ts';
import { DomainError, type ErrorKind, unavailable } from '../values/errors.ts';
import { parseJson, stringifyJson } from '../values/json.ts';
import type { ProblemCode } from '../values/problem-types.ts';
import { cursorIn } from './pagination.ts';
import { problemSchema } from './problem.ts';

export interface HttpClientOptions {
  /** The service called, such as `product`: named in spans and errors. */
  service: string;
  /** Without a trailing slash. */
  baseUrl: string;
  /** For the whole exchange. */
  timeoutMs: number;
  /** Shown to internal paths (contract 3.7). */
  credential?: string | undefined;
}

/** Any answer below 500. */
export interface Answer {
  status: number;
  /** JSON; numbers that a double cannot hold are Decimals. */
  body: unknown;
  /** Names the state that was read, where the answer has one. */
  etag: string | undefined;
  /** Cursor of the next page of a list, where there is one. */
  next: string | undefined;
  retryAfterSeconds: number | undefined;
  headers: Record<string, string | string[] | undefined>;
}

/** Failures that are passed on, since they are meant for whoever made the request: by status, their kind and code. */
export type Refusals = Record<number, [ErrorKind, ProblemCode?]>;

export type Method = 'GET' | 'POST' | 'PUT' | 'DELETE';

export interface Call {
  query?: string;
  /** Decimals are sent with all their digits. */
  body?: object | undefined;
  /** The ETag that the resource must still have; otherwise the answer is 412 (contract 4.12). */
  ifMatch?: string | undefined;
  /** An ETag that the resource must not have, or `*`: it must not exist. Otherwise the answer is 412. */
  ifNoneMatch?: string | undefined;
  /** The client on whose behalf the call is, as a route's input has it: passed on as the gateway says it. */
  clientAddress?: string | undefined;
  /** The customer on whose behalf the call is, likewise: the called service decides as for a request of the gateway. */
  customer?: { accountId: string; authorization: string | undefined };
  /** Name of the operator on whose behalf the call is, for the audit trail. */
  operator?: string | undefined;
  /** Further headers. */
  headers?: Record<string, string>;
  /** Gives the call up, as its time-out does. */
  signal?: AbortSignal;
}

interface Sent {
  status: number;
  headers: Record<string, string | string[] | undefined>;
  text: string;
}

const secondsIn = (header: string | undefined) => (/^\d{1,3}$/.test(header ?? '') ? Number(header) : undefined);

/** Calls another service: JSON both ways, within the current trace, with a time-out, without redirects. */
export function createHttpClient({ service, baseUrl, timeoutMs, credential }: HttpClientOptions) {
  const { hostname: address, port: ownPort, protocol } = new URL(baseUrl);
  const port = Number(ownPort || (protocol === 'https:' ? 443 : 80));
  const failed = (cause: unknown, retryAfter?: string) =>
    unavailable(`The ${service} service`, cause, { retryAfterSeconds: secondsIn(retryAfter) || undefined });

  /** Of a status below 500. */
  async function send(method: Method, url: string, call: Call): Promise<Sent> {
    const { body, ifMatch, ifNoneMatch, clientAddress, customer, operator, headers: further, signal } = call;
    const trace = currentTrace();
    try {
      const answer = await request(url, {
        method,
        headers: {
          ...(trace && { traceparent: trace.traceparent }),
          ...(credential !== undefined && { authorization: `Bearer ${credential}` }),
          ...(ifMatch !== undefined && { 'if-match': ifMatch }),
          ...(ifNoneMatch !== undefined && { 'if-none-match': ifNoneMatch }),
          ...(clientAddress !== undefined && { 'x-envoy-external-address': clientAddress }),
          ...(operator !== undefined && { 'operator-name': encodeURIComponent(operator) }),
          ...(customer && { 'id-account': customer.accountId }),
          ...(customer?.authorization !== undefined && { authorization: customer.authorization }),
          ...(body && { 'content-type': 'application/json' }),
          ...further,
        },
        ...(body && { body: stringifyJson(body) }),
        signal: AbortSignal.any([AbortSignal.timeout(timeoutMs), ...(signal ? [signal] : [])]),
      });
      const text = await answer.body.text();
      const { statusCode: status, headers } = answer;
      if (status >= 500) throw failed(new Error(`Status ${status}`), headers['retry-after']?.toString());
      return { status, headers, text };
    } catch (error) {
      throw error instanceof DomainError ? error : failed(error);
    }
  }

  function sendInSpan(method: Method, path: string, { query, ...rest }: Call): Promise<Sent> {
    const attributes = {
      'peer.service': service,
      'http.request.method': method,
      'server.address': address,
      'server.port': port,
      'url.full': `${baseUrl}${path}`, // without the query, which may hold what a customer has entered
    };
    return inSpan(
      { name: `${method} ${path}`, kind: 'client', attributes },
      () => send(method, `${baseUrl}${path}${query === undefined ? '' : `?${query}`}`, rest),
      ({ status }) => ({ attributes: { 'http.response.status_code': status } }),
    );
  }

  /** Without a body it is undefined, which no schema of one takes. */
  function jsonOf({ text }: Sent): unknown {
    try {
      return text === '' ? undefined : parseJson(text);
    } catch (error) {
      throw failed(error);
    }
  }

  function parsed<T>(schema: z.ZodType<T>, body: unknown): T {
    const { success, data, error } = schema.safeParse(body);
    if (success) return data;
    throw failed(error);
  }

  return {
    /** @throws DomainError unavailable: no answer in time, no JSON, or a status from 500 up, whose Retry-After it keeps */
    async call(method: Method, path: string, call: Call = {}): Promise<Answer> {
      const sent = await sendInSpan(method, path, call);
      const { status, headers } = sent;
      return {
        status,
        body: jsonOf(sent),
        etag: headers.etag?.toString(),
        next: cursorIn(headers.link?.toString()),
        retryAfterSeconds: secondsIn(headers['retry-after']?.toString()),
        headers,
      };
    },
    /**
     * Gets a body that is passed on or read as text.
     * @throws DomainError unavailable for any other answer than 200, and where `read` finds nothing in it
     */
    async text<T>(path: string, call: Call, read: (text: string) => T | undefined): Promise<T> {
      const { status, text } = await sendInSpan('GET', path, call);
      const found = status === 200 ? read(text) : undefined;
      if (found === undefined) throw failed(new Error(`Status ${status}`));
      return found;
    },
    /**
     * Reads the body of a success.
     * @throws DomainError unavailable for any other answer, but with the sentence of the other service where it is among the refusals
     */
    read<T>(schema: z.ZodType<T>, answer: Answer, refusals: Refusals = {}): T {
      const { status, body, retryAfterSeconds = 60 } = answer;
      if (status < 300) return parsed(schema, body);
      const [kind, code] = refusals[status] ?? [];
      if (kind === undefined) throw failed(new Error(`Status ${status}`));
      const { title, detail = title, errors } = parsed(problemSchema, body);
      const retry = kind === 'rateLimited' ? { retryAfterSeconds } : {};
      throw new DomainError(kind, detail, { code, errors, ...retry });
    },
    /** Reads a part of a body. @throws DomainError unavailable for one that the other service should not have given */
    parsed,
  };
}
