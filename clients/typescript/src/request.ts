import { foreign } from './problem.ts';
import type { Answer } from './retry.ts';

export interface AnyInput {
  path?: Record<string, unknown>;
  query?: Record<string, unknown>;
  header?: Record<string, unknown>;
  body?: unknown;
}

/**
 * @param path such as `/orders/{id}`
 * @throws TypeError that names a value which cannot be part of a URL
 */
export function urlOf(store: string, path: string, { path: values = {}, query = {} }: AnyInput = {}): string {
  const filled = path.replace(/\{(\w+)\}/g, (_, name) => segment(`path.${name}`, values[name]));
  const parameters = new URLSearchParams();
  for (const [name, value] of Object.entries(query).flatMap(nested))
    for (const one of [value].flat()) if (one !== undefined) parameters.append(name, textOf(`query.${name}`, one));
  const search = parameters.toString();
  return `${store.replace(/\/$/, '')}${filled}${search && `?${search}`}`;
}

/** @throws TypeError for a header that is not text */
export function headersOf(header: AnyInput['header'] = {}, further?: Headers | Record<string, string>): Headers {
  const headers = new Headers(further);
  for (const [name, value] of Object.entries(header))
    if (value !== undefined) headers.set(name, textOf(`header.${name}`, value));
  return headers;
}

/** @throws TypeError that names a value which JSON cannot express, such as NaN (would become null) or a Map (would become empty) */
export const jsonOf = (body: unknown): string =>
  JSON.stringify(body, function (this: Record<string, unknown>, name, value: unknown) {
    // The value before its toJSON ran, which turns an invalid Date into null.
    const given = this[name];
    const isSent =
      given === null ||
      typeof value === 'string' ||
      typeof value === 'boolean' ||
      Number.isFinite(value) ||
      (value === undefined && !Array.isArray(this)) ||
      Array.isArray(value) ||
      hasFields(value);
    if (!isSent) throw cannotSend(name ? `body.${name}` : 'body', given);
    return value;
  });

/** Writes the fields of an object as `name[field]` (OpenAPI 3.1, style deepObject). */
const nested = ([name, value]: [string, unknown]): [string, unknown][] =>
  hasFields(value) && !Array.isArray(value)
    ? Object.entries(value).map(([field, one]) => [`${name}[${field}]`, one])
    : [[name, value]];

function segment(name: string, value: unknown): string {
  const isOne = typeof value === 'string' || typeof value === 'number';
  const text = isOne ? textOf(name, value) : '';
  // URLs resolve even escaped dots (WHATWG URL, 4.1), which leads to another path.
  if (text === '' || text === '.' || text === '..') throw cannotSend(name, value);
  return encodeURIComponent(text);
}

/** Writes a Date as a time of RFC 3339. */
function textOf(name: string, value: unknown): string {
  if (value instanceof Date && !Number.isNaN(value.getTime())) return value.toISOString();
  if (isText(value)) return String(value);
  throw cannotSend(name, value);
}

/** UTF-8 cannot encode half of a surrogate pair. */
const isText = (value: unknown): boolean =>
  typeof value === 'string'
    ? !/\p{Surrogate}/u.test(value)
    : typeof value === 'boolean' || typeof value === 'bigint' || Number.isFinite(value);

/** True for a plain object, unlike a Date or a Map. An empty object counts if it has no prototype, or its realm's Object.prototype. */
function hasFields(value: unknown): value is object {
  if (typeof value !== 'object' || value === null) return false;
  if (Object.keys(value).length > 0) return true;
  const prototype: unknown = Object.getPrototypeOf(value);
  return prototype === null || Object.getPrototypeOf(prototype) === null;
}

const cannotSend = (name: string, value: unknown) =>
  new TypeError(`${name} cannot be sent: it is ${described(value)}.`);

function described(value: unknown): string {
  if (typeof value === 'string') return value === '' ? 'empty' : JSON.stringify(value);
  if (typeof value === 'function' || typeof value === 'symbol') return `a ${typeof value}`;
  if (typeof value !== 'object' || value === null) return value === undefined ? 'missing' : String(value);
  if (value instanceof Date) return Number.isNaN(value.getTime()) ? 'an invalid Date' : 'a Date';
  return `of the kind ${value.constructor?.name ?? 'Object'}`;
}

/** crypto.randomUUID exists in secure contexts only, but a store may be served over plain HTTP. */
export const randomKey = (): string =>
  Array.from(crypto.getRandomValues(new Uint8Array(16)), (byte) => byte.toString(16).padStart(2, '0')).join('');

/** @throws StoreProblem for a body that no store sends, such as a page in HTML */
export function dataOf({ response, text }: Answer): unknown {
  if (text === '') return undefined;
  const type = response.headers.get('content-type') ?? '';
  if (/^text\/plain\b/i.test(type)) return text;
  if (!/^application\/([^;]+\+)?json\b/i.test(type)) throw foreign(response, 'JSON');
  try {
    return JSON.parse(text);
  } catch {
    throw foreign(response, 'JSON', 'something else');
  }
}
