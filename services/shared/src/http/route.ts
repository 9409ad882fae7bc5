import type { ServerResponse } from 'node:http';
import type { z } from 'zod';
import type { AnyScope, Role } from './identity.ts';

export interface ResponseSpec {
  description: string;
  /** Without it the answer has no body. */
  body?: z.ZodType;
  /** Instead of a body: each line of an answer in NDJSON, with its `Content-Type` among the headers of the reply. */
  lines?: z.ZodType;
  /** Instead of a body: the data of each event of a stream. */
  events?: z.ZodType;
  /** True if the route answers with HTML (html.ts) instead of JSON if the client prefers it. */
  html?: true;
  headers?: Record<string, string>;
}

/** A failure: a handler throws it as a DomainError and never returns it. */
export interface ProblemSpec {
  description: string;
  problem: true;
  headers?: Record<string, string>;
}

type Responses = { readonly [status: number]: ResponseSpec | ProblemSpec };

/**
 * JSON text or bytes to send unchanged, for results that PostgreSQL serialises faster and exactly, or HTML (html.ts) with its
 * headers. A long result is an array of texts of about 100 KB: V8 frees longer texts only in a full garbage collection. A result that
 * may exceed memory is an async iterable of pieces; if it ends with an error, the answer is cut off.
 */
export interface JsonText {
  readonly json: string | readonly string[] | Buffer | AsyncIterable<string>;
}

interface Reply<S, B> {
  status: S;
  /** A client that names its `ETag` in If-None-Match gets 304 instead. */
  headers?: Record<string, string>;
  body?: B;
}

interface StreamReply<S> {
  status: S;
  /** Writes events to a response whose head has been sent, as long as it is open. */
  stream(res: ServerResponse): void;
}

/** One of the declared successes: a status with its body. */
type ReplyOf<R extends Responses> = {
  [S in keyof R & number]: R[S] extends { problem: true }
    ? never
    : R[S] extends { events: z.ZodType }
      ? StreamReply<S>
      : R[S] extends { lines: z.ZodType }
        ? Reply<S, JsonText> & { body: JsonText }
        : R[S] extends { body: infer B extends z.ZodType }
          ? Reply<S, z.input<B> | JsonText> & { body: z.input<B> | JsonText }
          : Reply<S, undefined>;
}[keyof R & number];

/**
 * `account` demands `id-account`, which every secured request through the gateway has. `caller`, `operator` and `mailer` demand
 * their credential for internal paths; `accountOrCaller` does so only without `id-account`. `none` demands nothing.
 */
export type IdentityRule = 'none' | 'account' | 'caller' | 'accountOrCaller' | 'operator' | 'mailer';

export const takesAccount = (rule: IdentityRule): boolean => rule === 'account' || rule === 'accountOrCaller';

type ForAccount<I extends IdentityRule, T> = I extends 'account'
  ? T
  : I extends 'accountOrCaller'
    ? T | undefined
    : undefined;

type Out<T> = T extends z.ZodType ? z.output<T> : undefined;

interface Input<P, Q, H, C, B, I extends IdentityRule> {
  params: Out<P>;
  query: Out<Q>;
  headers: Out<H>;
  cookies: Out<C>;
  body: Out<B>;
  /** Of a route that takes its body as it comes. */
  rawBody: Buffer;
  accountId: ForAccount<I, string>;
  roles: ForAccount<I, readonly string[]>;
  /** Of the API key that the caller uses; undefined for a session. */
  scopes: readonly string[] | undefined;
  /** The caller, as the audit trail names it (values/audit.ts). */
  actor: string;
  /** The header as the gateway sets it (contract 2.3). */
  authorization: string | undefined;
  /** The client's address, by which limits count clients (identity.ts); undefined if the request did not come through the gateway. */
  clientAddress: string | undefined;
  /** Aborted when the answer has been sent or its client has disconnected, for work that can then be dropped. */
  ended: () => AbortSignal;
  userAgent: string | undefined;
  /** Streams the body of a route with `lines` (body.ts). */
  upload: () => AsyncGenerator<Buffer>;
  /** Path and query as received, to build a `Link` from. */
  url: string;
  /** True if the client prefers HTML to JSON (RFC 9110, 12.5.1). */
  prefersHtml: boolean;
  /** True if the customer uses HTTPS, according to the gateway. */
  isHttps: boolean;
}

type Optional = z.ZodType | undefined;

/** A route without documentation is internal: no document shows it. */
export type Documentation =
  | {
      /** Unique in the store, and the name of the method in clients, so it must never change. */
      operationId: string;
      summary: string;
      tag: string;
    }
  | { operationId?: never; summary?: never; tag?: never };

/** A route is data: `createHttpApp` serves it, `openApiDocument` documents it, and outside production its replies are checked against it. */
interface Route<
  P extends Optional = Optional,
  Q extends Optional = Optional,
  H extends Optional = Optional,
  C extends Optional = Optional,
  B extends Optional = Optional,
  I extends IdentityRule = IdentityRule,
  R extends Responses = Responses,
> {
  method: 'get' | 'post' | 'put' | 'patch' | 'delete';
  /** `/orders/{id}` */
  path: string;
  identity: I;
  /** Required of the caller (contract 3.9). */
  role?: Role;
  /** Required of an API key, one of several; API keys may not call an account route without a scope (contract 3.12). */
  scope?: AnyScope;
  /** Path parameters; a value that does not fit is a 404. */
  params?: P;
  query?: Q;
  headers?: H;
  /** Read by cookie-parser, which picks one value of a repeated cookie, so no identity may come from here. */
  cookies?: C;
  body?: B;
  /** Instead of `body`: each line of a body in NDJSON, which the handler reads by `upload`. */
  lines?: z.ZodType;
  /** True instead of a `body` if the handler gets the bytes, of any type, such as to check a signature over them. */
  rawBody?: true;
  /** The largest body that is read, in KiB (contract 2.5). Default: 8. */
  bodyKib?: number;
  /** True if the body holds decimals, which keep all their digits (contract 4.2). */
  decimals?: boolean;
  /** The successes and the failures specific to this route; `allResponses` adds the rest. */
  responses: R;
  /** True if the route needs no database and no other service, so it never answers 503. */
  standsAlone?: true;
  handler(input: Input<P, Q, H, C, B, I>): Promise<ReplyOf<R>> | ReplyOf<R>;
}

// The handler's input is checked where the route is defined.
// biome-ignore lint/suspicious/noExplicitAny: parameters are contravariant, only `any` admits every route
export type AnyRoute = Route<any, any, any, any, any, any, any> & Documentation;

/** Infers the types of the handler's input and reply from the schemas. */
export function route<
  const R extends Responses,
  I extends IdentityRule,
  P extends Optional = undefined,
  Q extends Optional = undefined,
  H extends Optional = undefined,
  C extends Optional = undefined,
  B extends Optional = undefined,
>(definition: Route<P, Q, H, C, B, I, R> & Documentation): AnyRoute {
  return definition;
}

export const noStore = { 'Cache-Control': 'no-store' };

export const ok = <T>(body: T, headers: Record<string, string> = {}) => ({ status: 200 as const, body, headers });

export const created = <T>(location: string, body: T, headers: Record<string, string> = {}) => ({
  status: 201 as const,
  body,
  headers: { Location: location, ...headers },
});

/** @param location where its progress can be seen */
export const accepted = <T>(location: string, body: T) => ({
  status: 202 as const,
  body,
  headers: { Location: location, ...noStore },
});

export const ndjson = { 'Content-Type': 'application/x-ndjson' };

export const noContent = (headers: Record<string, string> = {}) => ({ status: 204 as const, headers });

/** A documented failure of a route: `responses: { 404: problem('No such product.') }` */
export const problem = (description: string, headers?: Record<string, string>): ProblemSpec => ({
  description,
  problem: true,
  ...(headers && { headers }),
});

/** Header of a temporary failure. */
export const retryAfter = { 'Retry-After': 'Seconds to wait before retrying.' };

export const bodyKibOf = ({ bodyKib = 8 }: AnyRoute): number => bodyKib;

/** For a caller that must slow down (RFC 6585, 4). */
export const tooMany = (description: string): ProblemSpec =>
  problem(description, {
    ...retryAfter,
    RateLimit:
      'The limit that was reached, its remainder (`r=0`), and the seconds until requests are admitted again (`t`).',
  });

/** Tells whether a route's reply has an entity tag, so that clients can send If-None-Match. */
export const hasETag = ({ responses }: AnyRoute): boolean => responses[200]?.headers?.ETag !== undefined;

export const hasHtml = ({ responses }: AnyRoute): boolean => responses[200]?.html === true;

/** Tells whether clients of a route can demand the state that they have seen. */
const takesIfMatch = ({ headers }: AnyRoute): boolean => headers !== undefined && 'if-match' in headers.shape;

/** Reasons to refuse the caller that do not depend on the request, as sentences. */
function refusalsOf({ identity, role, scope }: AnyRoute): string[] {
  const refusals: string[] = [];
  if (['caller', 'accountOrCaller', 'operator'].includes(identity))
    refusals.push('The credential of the caller is missing or wrong.');
  if (role !== undefined) refusals.push(`The caller lacks the role ${role}.`);
  if (takesAccount(identity))
    refusals.push(
      scope === undefined ? 'The caller is an API key.' : `The API key lacks the scope ${[scope].flat().join(' or ')}.`,
    );
  return refusals;
}

/** Adds the responses that follow from what a route accepts. */
export function allResponses(route: AnyRoute): Responses {
  const takesInput = route.params ?? route.query ?? route.headers ?? route.body ?? route.lines ?? route.rawBody;
  const responses: Record<number, ResponseSpec | ProblemSpec> = {};
  if (hasETag(route)) {
    const { headers } = route.responses[200];
    responses[304] = { description: 'The client has the current state: its `If-None-Match` names it.', headers };
  }
  if (takesInput !== undefined) responses[400] = problem('The request is malformed or violates a rule of its fields.');
  if (takesAccount(route.identity)) responses[401] = problem('The account of the caller is unknown.');
  const refusals = refusalsOf(route);
  if (refusals.length > 0) responses[403] = problem(refusals.join(' '));
  if (route.params !== undefined) responses[404] = problem('No such resource.');
  if (takesIfMatch(route)) responses[412] = problem('The resource is no longer in the state that If-Match names.');
  if (route.rawBody || (route.body ?? route.lines) !== undefined) {
    const format = route.lines === undefined ? 'JSON' : 'NDJSON';
    responses[413] = problem(`The body is larger than ${bodyKibOf(route)} KiB.`);
    responses[415] = problem(`The body is compressed${route.rawBody ? '' : `, or is not ${format} in UTF-8`}.`);
  }
  if (!route.standsAlone) responses[503] = problem('A dependency is not available at the moment.', retryAfter);
  return { ...responses, ...route.responses };
}
