import { Ajv2020 } from 'ajv/dist/2020.js';
import * as values from './values.ts';

export interface Parameter {
  name: string;
  in: 'path' | 'query' | 'header';
  schema: {
    type?: string;
    format?: string;
    enum?: string[];
    items?: { examples?: string[] };
    anyOf?: { format?: string }[];
  };
}

/** What the document says about one method of one path. */
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

/** What of a valid request is sent in another way, and what it is called. */
export type Spoilt = Partial<Sent> & { what: string; mayBeTaken?: boolean };

export function operationsOf(paths: Record<string, Record<string, unknown>>): Operation[] {
  return Object.entries(paths).flatMap(([path, methods]) =>
    Object.entries(methods).map(([method, value]) => {
      const { parameters, requestBody, security } = value as {
        parameters: Parameter[];
        requestBody?: { content: Record<string, { schema: object }> };
        security?: unknown;
      };
      const body = requestBody?.content['application/json']?.schema;
      return { method, path, parameters, body, identity: security !== undefined };
    }),
  );
}

/** A body for each place in the valid one and each value that does not belong there. */
export function spoiltFields(body: object, isAllowed: (value: unknown) => boolean): Spoilt[] {
  return placesOf(body).flatMap(({ place, value }) => {
    const put = (json: string | undefined) =>
      JSON.stringify(replaced(body, place, json && '@@')).replace('"@@"', json ?? '');
    const refused = values.typedValues.filter((json) => !isAllowed(JSON.parse(put(json))));
    const impossible = Object.entries(values.impossibleValues);
    const [before, after] = [String(value).slice(0, 3), String(value).slice(3)];
    const bad = place.includes('password') ? values.badCharacters.password : values.badCharacters.other;
    const texts = [...bad.map((character) => before + character + after), 'x'.repeat(100_000)];
    if (refused.includes('""') && !place.includes('password')) texts.push('   ', '\u2003');
    return [
      ...(isAllowed(JSON.parse(put(undefined))) ? [] : [{ what: `${place} missing`, body: put(undefined) }]),
      ...refused.map((json) => ({ what: `${place} = ${json}`, body: put(json) })),
      ...impossible.map(([what, json]) => ({ what: `${place} = ${what}`, body: put(json) })),
      ...(typeof value !== 'string' ? [] : texts.map((text) => JSON.stringify(text))).map((json) => ({
        what: `${place} = ${json}`,
        body: put(json),
      })),
    ];
  });
}

type Place = (string | number)[];

function placesOf(value: unknown, place: Place = []): { place: Place; value: unknown }[] {
  const inner = typeof value === 'object' && value !== null ? Object.entries(value) : [];
  const below = inner.flatMap(([key, child]) => placesOf(child, [...place, key]));
  return place.length === 0 ? below : [{ place, value }, ...below];
}

/** A copy with another value in one place; with undefined that place is gone. */
function replaced<T extends object>(body: T, place: Place, value: unknown): T {
  const copy = structuredClone(body);
  const parent = place
    .slice(0, -1)
    .reduce((at, key) => (at as Record<string | number, object>)[key] ?? {}, copy as object);
  const key = place.at(-1) ?? '';
  if (Array.isArray(parent) && value === undefined) parent.splice(Number(key), 1);
  else (parent as Record<string | number, unknown>)[key] = value;
  return copy;
}

export const withFieldEverywhere = (text: string, field: string) =>
  text.replaceAll(/\{(.)/g, (_, next: string) => `{${field}${next === '}' ? '' : ','}${next}`);

export const withQuery = (path: string, query: string) => `${path}${path.includes('?') ? '&' : '?'}${query}`;

export const takesMany = ({ type, anyOf }: Parameter['schema']) => type === 'array' || anyOf !== undefined;

/** Whether a value, as it stands in the address, may be right for a parameter. */
export function mayBe(schema: Parameter['schema'], name: string, value: string): boolean {
  if (schema.type === 'integer')
    return /^-?\d{1,9}$/.test(value) && new Ajv2020({ strict: false }).validate(schema, Number(value));
  const isFreeText = schema.type === 'string' && !schema.format && !schema.enum && name !== 'after';
  return isFreeText && !values.badTexts.has(value);
}

/** A value that is right when it is given once. */
export function sample({ type, format, enum: names, items, anyOf }: Parameter['schema']): string {
  if (type === 'integer') return '1';
  if ([format, anyOf?.[0]?.format].includes('uuid')) return '00000000-0000-4000-8000-000000000001';
  if (format === 'date-time') return '2026-01-01T00:00:00Z';
  return names?.[0] ?? items?.examples?.[0] ?? 'a';
}
