import type { operations } from './operations.ts';
import type { RetryOptions } from './retry.ts';
import type { operations as schema } from './schema.ts';

export type OperationId = keyof typeof operations;

/** Members of T that can have a value, including optional ones. */
type Present<T> = { [K in keyof T as [Exclude<T[K], undefined>] extends [never] ? never : K]: T[K] };
type Parameters<Id extends OperationId> = Present<Pick<schema[Id]['parameters'], 'query' | 'path' | 'header'>>;
type Body<Id extends OperationId> = schema[Id] extends { requestBody: { content: { 'application/json': infer B } } }
  ? { body: B }
  : unknown;
/** Input of an operation: those of `path`, `query`, `header` and `body` that it has. */
export type FullInput<Id extends OperationId> = Parameters<Id> & Body<Id>;
/** The same without If-None-Match, since only `full` returns 304. */
export type Input<Id extends OperationId> = FullInput<Id> & { header?: { 'if-none-match'?: never } };

type Content<R> = R extends { content: infer C }
  ? [C] extends [never]
    ? undefined
    : C extends undefined
      ? undefined
      : C extends { 'application/json': infer J }
        ? J
        : C[keyof C]
  : undefined;
type Responses<Id extends OperationId> = schema[Id]['responses'];
type Success = 200 | 201 | 202 | 204;
/** Data that an operation returns. */
export type Output<Id extends OperationId> = {
  [S in keyof Responses<Id>]: S extends Success ? Content<Responses<Id>[S]> : never;
}[keyof Responses<Id>];

/** The whole reply. A 304 means that the `data` the caller has is current. */
export type Reply<Id extends OperationId> = {
  [S in keyof Responses<Id>]: S extends Success | 304
    ? { status: S; data: Content<Responses<Id>[S]>; etag: string | undefined; headers: Headers }
    : never;
}[keyof Responses<Id>];

/** Options of one call, which override those of `createStore`. */
export interface CallOptions extends RetryOptions {
  /** Aborts the request and its repetitions. */
  signal?: AbortSignal;
  headers?: Headers | Record<string, string>;
  /** Key of an order: the same key means the same order (contract 4.7). Default: random. */
  idempotencyKey?: string;
}

/** Operations whose pages are linked by `Link: rel="next"` (RFC 8288). */
export type ListId = 'listNotifications' | 'listOrders' | 'listProducts' | 'listStatus' | 'listStoreOrders';
export type Item<Page> = Page extends (infer I)[] ? I : Page extends { content: (infer I)[] } ? I : never;
