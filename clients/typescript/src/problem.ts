import type { ProblemCode } from './problem-codes.ts';
import type { Problem } from './schema.ts';

const prefix = 'urn:problem:store:';

/** A reply with status 400 or above, as problem details (RFC 9457), or a reply that no store sends. */
export class StoreProblem extends Error {
  override readonly name = 'StoreProblem';
  /** Such as 404. */
  readonly status: number;
  /** Kind of problem, such as `urn:problem:store:order-shipped`; `about:blank` if the status says everything. */
  declare readonly type: string;
  /** Errors in the request, each with its field. */
  declare readonly errors: readonly { path: string; message: string }[];
  /** Id of the request in the store's logs and traces. */
  declare readonly traceId: string | undefined;
  /** Pause that the store asks for before the next call, in milliseconds. */
  declare readonly retryAfterMs: number | undefined;
  /** What the order would cost now; only with `price-changed`. */
  declare readonly total: Problem['total'];
  /** Its items with their prices; only with `price-changed`. */
  declare readonly items: Problem['items'];
  /** Headers of the reply. */
  declare readonly headers: Headers;

  /** @param problem foreign input: fields of the wrong type are dropped */
  constructor(problem: { readonly [Field in keyof Problem]?: unknown }, response: Response) {
    super(textOf(problem.detail) ?? textOf(problem.title) ?? `The store answered ${response.status}.`);
    this.status = response.status;
    const { total, items } = problem;
    const errors = listOf(problem.errors).filter(({ path, message }) => textOf(path) !== undefined && textOf(message));
    // Properties that are not enumerable are not printed, so an uncaught problem takes only a few lines.
    Object.defineProperties(this, {
      type: { value: textOf(problem.type) ?? 'about:blank' },
      errors: { value: errors, enumerable: errors.length > 0 },
      traceId: { value: textOf(problem.traceId) },
      total: { value: isMoney(total) ? total : undefined },
      items: { value: Array.isArray(items) ? listOf(items).filter((item) => isMoney(item.unitPrice)) : undefined },
      retryAfterMs: { value: retryAfterMs(response) },
      headers: { value: response.headers },
    });
  }

  /** The last part of a type of the store's own, such as `order-shipped`. A newer store may have more codes. */
  get code(): ProblemCode | undefined {
    return this.type.startsWith(prefix) ? (this.type.slice(prefix.length) as ProblemCode) : undefined;
  }

  /** Points the stack at the method's caller, where the platform can, and adds code and trace id to its message. @internal */
  from(method: unknown): this {
    (Error as { captureStackTrace?: (error: Error, above: unknown) => void }).captureStackTrace?.(this, method);
    const details = [this.code, this.traceId && `trace ${this.traceId}`].filter(Boolean).join(', ');
    this.stack = this.stack
      ?.replace(/^ +at .*\(node:internal\/.*\n/gm, '')
      .replace(this.message, (message) => (details ? `${message} (${details})` : message));
    return this;
  }
}

type Fields = Record<string, unknown>;

const isObject = (value: unknown): value is Fields => typeof value === 'object' && value !== null;
const textOf = (value: unknown) => (typeof value === 'string' ? value : undefined);
const listOf = (value: unknown): Fields[] => (Array.isArray(value) ? value.filter(isObject) : []);
const isMoney = (value: unknown) =>
  isObject(value) && typeof value.amount === 'number' && typeof value.currency === 'string';

/** Reads Retry-After (RFC 9110, 10.2.3): seconds, or a date, relative to the server's clock if the reply has one. */
export function retryAfterMs({ headers }: Response): number | undefined {
  const text = headers.get('retry-after')?.trim() ?? '';
  if (/^\d+$/.test(text)) return Number(text) * 1000;
  const at = text.endsWith('GMT') ? Date.parse(text) : Number.NaN;
  if (Number.isNaN(at)) return undefined;
  const now = Date.parse(headers.get('date') ?? '');
  return Math.max(0, at - (Number.isNaN(now) ? Date.now() : now));
}

/** @param text body of the failed reply, in any format */
export function problemOf(response: Response, text: string): StoreProblem {
  let body: unknown;
  try {
    body = JSON.parse(text);
  } catch {
    // A proxy's page, or nothing.
  }
  return new StoreProblem(isObject(body) ? body : {}, response);
}

/**
 * @param wanted such as `JSON`
 * @param got what came instead; default: the content type
 */
export function foreign(response: Response, wanted: string, got?: string): StoreProblem {
  const found = got ?? response.headers.get('content-type') ?? 'something without a type';
  const detail = `Got ${found} instead of ${wanted}. Is ${response.url} an address of the store?`;
  return new StoreProblem({ detail }, response);
}

/**
 * The client follows no redirect, since the store sends none: it would repeat a change elsewhere and reveal the session to a stranger.
 * @param response to a request with `redirect: 'manual'`
 * @returns undefined unless it is a redirect; browsers hide its status (0) and its target
 */
export function redirectOf(response: Response): StoreProblem | undefined {
  const isRedirect = response.status >= 300 && response.status < 400 && response.status !== 304;
  if (!isRedirect && response.type !== 'opaqueredirect') return undefined;
  const to = response.headers.get('location');
  return foreign(response, 'an answer', to ? `a redirect to ${to}` : 'a redirect');
}
