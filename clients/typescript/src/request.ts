import { foreign } from './problem.ts';
import type { Answer } from './retry.ts';

export interface AnyInput {
  path?: Record<string, string>;
  query?: Record<string, unknown>;
  header?: Record<string, string | undefined>;
  body?: unknown;
}

/** @param path such as `/orders/{id}` */
export function urlOf(store: string, path: string, { path: values = {}, query = {} }: AnyInput = {}): string {
  const filled = path.replace(/\{(\w+)\}/g, (_, name) => encodeURIComponent(String(values[name])));
  const parameters = new URLSearchParams();
  for (const [name, value] of Object.entries(query).flatMap(nested))
    for (const one of [value].flat()) if (one !== undefined) parameters.append(name, String(one));
  const search = parameters.toString();
  return `${store.replace(/\/$/, '')}${filled}${search && `?${search}`}`;
}

/** Writes fields of an object as `name[field]` (OpenAPI 3.1, style deepObject). */
const nested = ([name, value]: [string, unknown]): [string, unknown][] =>
  typeof value === 'object' && value !== null && !Array.isArray(value)
    ? Object.entries(value).map(([field, one]) => [`${name}[${field}]`, one])
    : [[name, value]];

/** crypto.randomUUID is for secure contexts only; a store of one's own may be reached by plain HTTP. */
export const randomKey = (): string =>
  Array.from(crypto.getRandomValues(new Uint8Array(16)), (byte) => byte.toString(16).padStart(2, '0')).join('');

/** @throws StoreProblem for what no store answers, such as a page in HTML */
export function dataOf({ response, text }: Answer): unknown {
  if (text === '') return undefined;
  const type = response.headers.get('content-type') ?? '';
  if (/^application\/([^;]+\+)?json\b/i.test(type)) return JSON.parse(text);
  if (/^text\/plain\b/i.test(type)) return text;
  throw foreign(response, 'JSON');
}
