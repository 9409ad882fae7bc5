import type { z } from 'zod';

export interface ResponseSpec {
  description: string;
  /** Without it the answer has no body. */
  body?: z.ZodType;
  /** Header names with what they say. */
  headers?: Record<string, string>;
}

/** A failure: thrown as a DomainError, never returned by a handler. */
export interface ProblemSpec {
  description: string;
  problem: true;
  headers?: Record<string, string>;
}

export type Responses = { readonly [status: number]: ResponseSpec | ProblemSpec };

/** JSON that is ready to be sent, for what the database writes faster and more exactly than we could. */
export interface JsonText {
  readonly json: string;
}

interface Reply<S, B> {
  status: S;
  headers?: Record<string, string>;
  body?: B;
}

/** One of the declared successes: status and body belong together. */
export type ReplyOf<R extends Responses> = {
  [S in keyof R & number]: R[S] extends { problem: true }
    ? never
    : R[S] extends { body: infer B extends z.ZodType }
      ? Reply<S, z.input<B> | JsonText> & { body: z.input<B> | JsonText }
      : Reply<S, undefined>;
}[keyof R & number];

/** `account` demands `id-account`; `none` ignores it. */
export type IdentityRule = 'none' | 'account';

type Out<T> = T extends z.ZodType ? z.output<T> : undefined;

export interface Input<P, Q, H, B, I extends IdentityRule> {
  params: Out<P>;
  query: Out<Q>;
  headers: Out<H>;
  body: Out<B>;
  accountId: I extends 'account' ? string : undefined;
  /** Path and query as they came, to be made into a `Link`. */
  url: string;
}

type Optional = z.ZodType | undefined;

/** A route is data: registered by `mount`, documented by `openApiDocument`, and held to its word outside production. */
export interface Route<
  P extends Optional = Optional,
  Q extends Optional = Optional,
  H extends Optional = Optional,
  B extends Optional = Optional,
  I extends IdentityRule = IdentityRule,
  R extends Responses = Responses,
> {
  method: 'get' | 'post' | 'put' | 'patch' | 'delete';
  /** `/orders/{id}` */
  path: string;
  summary: string;
  tag: string;
  identity: I;
  /** Demanded of the bearer token where the service validates it. */
  scope?: string;
  /** Path parameters; what does not fit is not there: 404. */
  params?: P;
  query?: Q;
  headers?: H;
  body?: B;
  /** The successes, and the failures that are this route's own; `commonResponses` adds the rest. */
  responses: R;
  /** Internal paths are left out of the document. */
  internal?: boolean;
  handler(input: Input<P, Q, H, B, I>): Promise<ReplyOf<R>> | ReplyOf<R>;
}

// What a list of different routes has in common; the handler's input is checked where the route is made.
// biome-ignore lint/suspicious/noExplicitAny: parameters are contravariant, only `any` admits every route
export type AnyRoute = Route<any, any, any, any, any, any>;

/** Ties the handler's input and reply to the schemas beside it. */
export function route<
  const R extends Responses,
  I extends IdentityRule,
  P extends Optional = undefined,
  Q extends Optional = undefined,
  H extends Optional = undefined,
  B extends Optional = undefined,
>(definition: Route<P, Q, H, B, I, R>): AnyRoute {
  return definition;
}

export const ok = <T>(body: T, headers: Record<string, string> = {}) => ({ status: 200 as const, body, headers });

export const created = <T>(location: string, body: T, headers: Record<string, string> = {}) => ({
  status: 201 as const,
  body,
  headers: { Location: location, ...headers },
});

export const noContent = () => ({ status: 204 as const });

/** A documented failure of a route: `responses: { 404: problem('No such product.') }` */
export const problem = (description: string): ProblemSpec => ({ description, problem: true });

/** For every route that needs a database or another service. */
export const away: ProblemSpec = {
  description: 'What the answer needs is not available at the moment.',
  problem: true,
  headers: { 'Retry-After': 'Seconds to wait before the next try.' },
};

/** Responses that follow from what a route takes, so that no route has to repeat them. */
export function commonResponses(route: AnyRoute): Responses {
  const takesInput = route.params ?? route.query ?? route.headers ?? route.body;
  const responses: Record<number, ProblemSpec> = {};
  if (takesInput !== undefined) responses[400] = problem('The request is malformed or breaks a rule of its fields.');
  if (route.identity === 'account') responses[401] = problem('The account of the caller is not known.');
  if (route.scope !== undefined) responses[403] = problem('The token lacks the scope of this endpoint.');
  if (route.params !== undefined) responses[404] = problem('No such resource.');
  if (route.body !== undefined) {
    responses[413] = problem('The body is larger than 1 MiB.');
    responses[415] = problem('The body is not JSON in UTF-8.');
  }
  return responses;
}

export function allResponses(route: AnyRoute): Responses {
  return { ...commonResponses(route), ...route.responses };
}
