import { Readable } from 'node:stream';
import { type Dispatcher, request } from 'undici';
import type { z } from 'zod';
import { currentTrace, inSpan } from '../observability/trace-context.ts';
import { DomainError, type ErrorKind, unavailable } from '../values/errors.ts';
import { parseJson, stringifyJson } from '../values/json.ts';
import type { ProblemCode } from '../values/problem-types.ts';
import { inTime } from '../values/time.ts';
import { cursorIn } from './pagination.ts';
import { problemSchema } from './problem.ts';

export interface HttpClientOptions {
  /** The called service, such as `product`; spans and errors name it. */
  service: string;
  /** Without a trailing slash. */
  baseUrl: string;
  /** For the whole exchange, in ms. */
  timeoutMs: number;
  /** Sent to internal paths (contract 3.7). */
  credential?: string | undefined;
}

/** Any answer below 500. */
export interface Answer {
  status: number;
  /** JSON; numbers that a double cannot hold are Decimals. */
  body: unknown;
  /** The ETag of the answer, if it has one. */
  etag: string | undefined;
  /** Cursor of the next page of a list, if there is one. */
  next: string | undefined;
  retryAfterSeconds: number | undefined;
  headers: Record<string, string | string[] | undefined>;
}

/** Failures that are passed on to the client of the original request: kind and code by status. */
export type Refusals = Record<number, [ErrorKind, ProblemCode?]>;

export type Method = 'GET' | 'POST' | 'PUT' | 'DELETE' | 'PATCH';

export interface Call {
  query?: string;
  /** Decimals are sent with all their digits. */
  body?: object | undefined;
  /** Instead of a body: lines of JSON (NDJSON), sent as they come. */
  lines?: AsyncIterable<Buffer>;
  /** The ETag that the resource must still have; otherwise the answer is 412 (contract 4.12). */
  ifMatch?: string | undefined;
  /** An ETag that the resource must not have, or `*`: it must not exist. Otherwise the answer is 412. */
  ifNoneMatch?: string | undefined;
  /** Address of the client that the call serves, from a route's input; sent in the header that the gateway uses. */
  clientAddress?: string | undefined;
  /** The customer that the call serves, from a route's input; the called service decides as for a request from the gateway. */
  customer?: { accountId: string; authorization: string | undefined };
  /** Name of the operator that the call serves, for the audit trail. */
  operator?: string | undefined;
  /** Further headers. */
  headers?: Record<string, string>;
  /** Aborts the call, as its time-out does. */
  signal?: AbortSignal;
}

interface Sent<Body> {
  status: number;
  headers: Record<string, string | string[] | undefined>;
  body: Body;
}

/** Takes the body of an answer. */
type Take<Body> = (answer: Dispatcher.ResponseData) => Promise<Body>;

const textOf: Take<string> = ({ body }) => body.text();

const timedOut = () => new DOMException('The operation was aborted due to timeout', 'TimeoutError');

const secondsIn = (header: string | undefined) => (/^\d{1,3}$/.test(header ?? '') ? Number(header) : undefined);

/** Calls another service: JSON both ways, in the current trace, with a time-out, without following redirects. */
export function createHttpClient({ service, baseUrl, timeoutMs, credential }: HttpClientOptions) {
  const { hostname: address, port: ownPort, protocol } = new URL(baseUrl);
  const port = Number(ownPort || (protocol === 'https:' ? 443 : 80));
  const failed = (cause: unknown, retryAfter?: string) =>
    unavailable(`The ${service} service`, cause, { retryAfterSeconds: secondsIn(retryAfter) || undefined });

  /** @throws DomainError unavailable if there is no answer in time, or a status from 500 up */
  async function send<Body>(method: Method, url: string, call: Call, take: Take<Body>): Promise<Sent<Body>> {
    const { body, lines, ifMatch, ifNoneMatch, clientAddress, customer, operator, headers: further, signal } = call;
    const trace = currentTrace();
    const exchange = async (late: AbortSignal) => {
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
          ...(lines && { 'content-type': 'application/x-ndjson' }),
          ...further,
        },
        ...(body && { body: stringifyJson(body) }),
        ...(lines && { body: Readable.from(lines, { objectMode: false }) }),
        signal: signal ? AbortSignal.any([late, signal]) : late,
      });
      return { status: answer.statusCode, headers: answer.headers, body: await take(answer) };
    };
    try {
      const sent = await inTime(timeoutMs, exchange, timedOut);
      const { status, headers } = sent;
      if (status >= 500) throw failed(new Error(`Status ${status}`), headers['retry-after']?.toString());
      return sent;
    } catch (error) {
      throw error instanceof DomainError ? error : failed(error);
    }
  }

  function sendInSpan<Body>(
    method: Method,
    path: string,
    { query, ...rest }: Call,
    take: Take<Body>,
  ): Promise<Sent<Body>> {
    const attributes = {
      'peer.service': service,
      'http.request.method': method,
      'server.address': address,
      'server.port': port,
      'url.full': `${baseUrl}${path}`, // without the query, which may hold text that a customer has entered
    };
    return inSpan(
      { name: `${method} ${path}`, kind: 'client', attributes },
      () => send(method, `${baseUrl}${path}${query === undefined ? '' : `?${query}`}`, rest, take),
      ({ status }) => ({ attributes: { 'http.response.status_code': status } }),
    );
  }

  /** Undefined without a body, which every schema of a body refuses. */
  function jsonOf({ body }: Sent<string>): unknown {
    try {
      return body === '' ? undefined : parseJson(body);
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
    /** @throws DomainError unavailable if there is no answer in time, no JSON, or a status from 500 up; keeps its Retry-After */
    async call(method: Method, path: string, call: Call = {}): Promise<Answer> {
      const sent = await sendInSpan(method, path, call, textOf);
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
     * Gets a body as text and reads it with `read`.
     * @throws DomainError unavailable for any status but 200, and if `read` returns undefined
     */
    async text<T>(path: string, call: Call, read: (text: string) => T | undefined): Promise<T> {
      const { status, body } = await sendInSpan('GET', path, call, textOf);
      const found = status === 200 ? read(body) : undefined;
      if (found === undefined) throw failed(new Error(`Status ${status}`));
      return found;
    },
    /**
     * Gets a body that may be long, in pieces as they come: only its beginning has the time-out.
     * @throws DomainError unavailable for any status but 200
     */
    async pieces(path: string, call: Call): Promise<AsyncIterable<string>> {
      const { status, body } = await sendInSpan('GET', path, call, async ({ statusCode, body }) => {
        if (statusCode === 200) return body.setEncoding('utf8');
        await body.dump();
        return undefined;
      });
      if (body === undefined) throw failed(new Error(`Status ${status}`));
      return body;
    },
    /**
     * Reads the body of a successful answer.
     * @throws DomainError with the other service's detail if the status is among the refusals, else unavailable
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
    /** Reads a part of a body. @throws DomainError unavailable if it does not fit the schema */
    parsed,
  };
}
