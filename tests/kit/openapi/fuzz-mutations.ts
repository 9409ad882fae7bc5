import { Ajv2020 } from 'ajv/dist/2020.js';
import * as values from './fuzz-values.ts';

export interface Parameter {
  name: string;
  in: 'path' | 'query' | 'header';
  schema: {
    type?: string;
    format?: string;
    enum?: string[];
    items?: { examples?: string[] };
    pattern?: string;
    anyOf?: { type?: string; format?: string; pattern?: string }[];
  };
}

/** One method of one path in the OpenAPI document. */
export interface Operation {
  method: string;
  path: string;
  parameters: Parameter[];
  body: object | undefined;
  identity: boolean;
}

export interface Sent {
  method: string;
  path: string;
  headers: Record<string, string>;
  body?: string | Buffer | undefined;
}

/** A change to a valid request, named for the failure message. */
export type Mutation = Partial<Sent> & { name: string; mayBeAccepted?: boolean };

export function operationsOf(paths: Record<string, Record<string, unknown>>): Operation[] {
  return Object.entries(paths).flatMap(([path, methods]) =>
    Object.entries(methods).map(([method, value]) => {
      const { parameters, requestBody, security } = value as {
        parameters: Parameter[];
        requestBody?: { content: Record<string, { schema: object }> };
        security?: object[];
      };
      const body = requestBody?.content['application/json']?.schema;
      return { method, path, parameters, body, identity: security?.some((one) => 'id-account' in one) ?? false };
    }),
  );
}

/** Puts each malformed value at each path of the valid body. */
export function fieldMutations(body: object, isValid: (value: unknown) => boolean): Mutation[] {
  return pathsOf(body).flatMap(({ path, value }) => {
    const put = (json: string | undefined) =>
      JSON.stringify(withValueAt(body, path, json && '@@')).replace('"@@"', json ?? '');
    const rejected = values.typedValues.filter((json) => !isValid(JSON.parse(put(json))));
    const [before, after] = [String(value).slice(0, 3), String(value).slice(3)];
    const isPassword = path.includes('password');
    const characters = isPassword ? values.invalidCharacters.password : values.invalidCharacters.other;
    const strings = [...characters.map((character) => before + character + after), 'x'.repeat(100_000)];
    if (rejected.includes('""') && !isPassword) strings.push('   ', '\u2003', '\u200b', '\u3164\u00ad');
    return [
      ...(isValid(JSON.parse(put(undefined))) ? [] : [{ name: `${path} missing`, body: put(undefined) }]),
      ...[...rejected, ...values.neverValid].map((json) => ({ name: `${path} = ${json}`, body: put(json) })),
      ...(typeof value !== 'string' ? [] : strings.map((string) => JSON.stringify(string))).map((json) => ({
        name: `${path} = ${json}`,
        body: put(json),
      })),
    ];
  });
}

/** Puts the longest text that the schema allows at each path of the valid body. It ends with a character that takes two UTF-16 units. */
export function longestTexts(body: object, isValid: (value: unknown) => boolean): Mutation[] {
  return pathsOf(body).flatMap(({ path, value }) => {
    const withText = (length: number) => withValueAt(body, path, `${'x'.repeat(length - 1)}🍵`);
    if (typeof value !== 'string' || !isValid(withText(3)) || isValid(withText(100_000))) return [];
    let [valid, invalid] = [3, 100_000];
    while (invalid - valid > 1) {
      const middle = Math.floor((valid + invalid) / 2);
      if (isValid(withText(middle))) valid = middle;
      else invalid = middle;
    }
    return [{ name: `${path} of ${valid} characters`, body: JSON.stringify(withText(valid)) }];
  });
}

type Path = (string | number)[];

function pathsOf(value: unknown, path: Path = []): { path: Path; value: unknown }[] {
  const entries = typeof value === 'object' && value !== null ? Object.entries(value) : [];
  const below = entries.flatMap(([key, child]) => pathsOf(child, [...path, key]));
  return path.length === 0 ? below : [{ path, value }, ...below];
}

/** A copy with a new value at a path; undefined removes the path. */
function withValueAt<T extends object>(body: T, path: Path, value: unknown): T {
  const copy = structuredClone(body);
  const parent = path
    .slice(0, -1)
    .reduce((at, key) => (at as Record<string | number, object>)[key] ?? {}, copy as object);
  const key = path.at(-1) ?? '';
  if (Array.isArray(parent) && value === undefined) parent.splice(Number(key), 1);
  else (parent as Record<string | number, unknown>)[key] = value;
  return copy;
}

/** Adds the field to every object of a JSON text except metadata, whose keys are the client's. */
export const withFieldEverywhere = (json: string, field: string) =>
  json.replaceAll(/(?<!"metadata":)\{(.)/g, (_, next: string) => `{${field}${next === '}' ? '' : ','}${next}`);

export const withQuery = (path: string, query: string) => `${path}${path.includes('?') ? '&' : '?'}${query}`;

export const isRepeatable = ({ type, anyOf }: Parameter['schema']) => type === 'array' || anyOf !== undefined;

/** True if a URL-encoded value may be valid for a parameter. */
export function mayBeValid(schema: Parameter['schema'], name: string, value: string): boolean {
  if (schema.type === 'integer')
    return /^-?\d{1,9}$/.test(value) && new Ajv2020({ strict: false }).validate(schema, Number(value));
  // A repeatable parameter is one value or a list of them.
  const { type, format, enum: names, pattern } = { ...schema, ...schema.anyOf?.[0] };
  const isFreeText = type === 'string' && !format && !names && !(schema.anyOf && pattern) && name !== 'after';
  return isFreeText && !values.invalidTexts.has(value);
}

/** A value that is valid if given once. */
export function sample({ type, format, enum: names, items, anyOf }: Parameter['schema']): string {
  if (type === 'integer') return '1';
  if ([format, anyOf?.[0]?.format].includes('uuid')) return '00000000-0000-4000-8000-000000000001';
  if (format === 'date-time') return '2026-01-01T00:00:00Z';
  return names?.[0] ?? items?.examples?.[0] ?? 'a';
}
