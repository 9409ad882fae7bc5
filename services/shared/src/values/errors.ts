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
  /** Names the problem: its type becomes `urn:problem:store:<code>`; without it `about:blank`. */
  readonly code: ProblemCode | undefined;
  readonly errors: FieldError[] | undefined;
  readonly retryAfterSeconds: number | undefined;
  /** Prices that an order would have, where they are the problem. */
  readonly priced: Priced | undefined;
  /** How to authenticate (RFC 9110, 11.6.1), where it is not by the token cookie. */
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

/** For fields that break their rules. A body with a thousand invalid items is not worth a thousand lines. */
export function invalidFields(...errors: FieldError[]): DomainError {
  const detail = errors.map(({ path, message }) => `${path}: ${message}`).join('; ');
  return new DomainError('invalid', cut(detail, 500), { code: 'validation', errors: errors.slice(0, 20) });
}

/** For an unavailable dependency (a database, another service): 503, worth retrying. */
export const unavailable = (what: string, cause?: unknown, more: Options = {}) =>
  new DomainError('unavailable', `${what} is not available at the moment. Try again shortly.`, { cause, ...more });

/** @throws DomainError notFound without it */
export function found<T>(thing: T | undefined, name: string): T {
  if (thing === undefined) throw new DomainError('notFound', `There is no ${name}.`);
  return thing;
}

/** For what the types rule out: where a value is added, and not handled, this is a type error. */
export function unreachable(value: never): never {
  throw new Error(`Nothing is known of ${JSON.stringify(value)}`);
}

/** Returns what others have written, as a function reads it; undefined where that throws. */
export function ifReadable<T>(read: () => T): T | undefined {
  try {
    return read();
  } catch {
    return undefined;
  }
}

/** Returns the message of what was thrown, which may be no Error. */
export const messageOf = (error: unknown): string => (error instanceof Error ? error.message : String(error));
