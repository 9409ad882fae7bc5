import type { z } from 'zod';
import type { Money, pricedItem } from './money.ts';
import type { ProblemCode } from './problem-types.ts';
import { cut } from './text.ts';

/** Kinds of failure, in terms of the domain; only http/problem.ts knows the HTTP status of each. */
export type ErrorKind =
  | 'invalid'
  | 'unauthenticated'
  | 'forbidden'
  | 'notFound'
  | 'conflict'
  | 'preconditionFailed'
  | 'tooLarge'
  | 'unsupportedMedia'
  | 'ruleBroken'
  | 'rateLimited'
  | 'unavailable';

interface FieldError {
  /** Where in the request: `body.items.0.quantity`, `query.size`. */
  path: string;
  message: string;
}

interface Priced {
  total: Money;
  items: z.input<typeof pricedItem>[];
}

type Options = ErrorOptions & Partial<Omit<DomainError, 'kind' | keyof Error>>;

/** A failure that the caller may see: `detail` becomes part of the answer. */
export class DomainError extends Error {
  override name = 'DomainError';
  readonly kind: ErrorKind;
  /** The problem's type becomes `urn:problem:store:<code>`; without a code it is `about:blank`. */
  readonly code: ProblemCode | undefined;
  readonly errors: FieldError[] | undefined;
  readonly retryAfterSeconds: number | undefined;
  /** The prices that the order would have, if they are the problem. */
  readonly priced: Priced | undefined;
  /** How to authenticate (RFC 9110, 11.6.1), if not by the token cookie. */
  readonly challenge: string | undefined;

  constructor(kind: ErrorKind, detail: string, options: Options = {}) {
    super(detail, { cause: options.cause });
    this.kind = kind;
    this.code = options.code;
    this.errors = options.errors;
    this.retryAfterSeconds = options.retryAfterSeconds ?? (kind === 'unavailable' ? 1 : undefined);
    this.priced = options.priced;
    this.challenge = options.challenge;
  }
}

/** For fields that break their rules: at most 20 of them, so that a body with a thousand invalid items does not get a thousand lines. */
export function invalidFields(...errors: FieldError[]): DomainError {
  const detail = errors.map(({ path, message }) => `${path}: ${message}`).join('; ');
  return new DomainError('invalid', cut(detail, 500), { code: 'validation', errors: errors.slice(0, 20) });
}

/** For an unavailable dependency (a database, another service): 503, worth retrying. */
export const unavailable = (what: string, cause?: unknown, more: Options = {}) =>
  new DomainError('unavailable', `${what} is not available at the moment. Try again shortly.`, { cause, ...more });

/** @throws DomainError notFound if the thing is undefined */
export function found<T>(thing: T | undefined, name: string): T {
  if (thing === undefined) throw new DomainError('notFound', `There is no ${name}.`);
  return thing;
}

/** For values that the types rule out: a new value that is not handled becomes a type error. */
export function unreachable(value: never): never {
  throw new Error(`Unexpected value ${JSON.stringify(value)}`);
}

/** Parses foreign input; undefined if the parser throws. */
export function tryParse<T>(parse: () => T): T | undefined {
  try {
    return parse();
  } catch {
    return undefined;
  }
}

/** Returns the message of a thrown value, which need not be an Error. */
export const messageOf = (error: unknown): string => (error instanceof Error ? error.message : String(error));
