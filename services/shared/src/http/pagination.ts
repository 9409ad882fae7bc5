import { z } from 'zod';
import { DomainError } from '../values/errors.ts';
import { wholeNumber } from '../values/fields.ts';

export type Direction = 'asc' | 'desc';

/** One `sort=field,direction` (spec: General collection parameters). */
export interface Sort<F extends string> {
  field: F;
  direction: Direction;
}

/** `sort`, repeatable, of the given fields; direction defaults to ascending. Of a repeated field the first counts. */
export function sortQuery<const F extends string>(fields: readonly F[], fallback: Sort<NoInfer<F>>[]) {
  const one = z
    .string()
    .regex(
      new RegExp(`^(${fields.join('|')})(,(asc|desc))?$`),
      `must be one of ${fields.join(', ')}, then ,asc or ,desc`,
    )
    .transform((value): Sort<F> => {
      const [field, direction = 'asc'] = value.split(',');
      return { field: field as F, direction: direction as Direction };
    });
  return z
    .union([one.transform((sort) => [sort]), z.array(one).min(1).max(fields.length).transform(firstOfEach)])
    .default(fallback)
    .meta({ type: 'array', items: { type: 'string', examples: fields.map((field) => `${field},desc`) } });
}

/** A field that says nothing new would only make the cursor longer, and a long one is refused. */
const firstOfEach = <F extends string>(sorts: Sort<F>[]) =>
  sorts.filter(({ field }, index) => sorts.findIndex((other) => other.field === field) === index);

export const pageQuery = (defaultSize: number, maxSize: number) => ({
  page: wholeNumber(0, 1_000_000).default(0),
  size: wholeNumber(1, maxSize).default(defaultSize),
  /** Opaque: taken from `Link: rel="next"`. */
  after: z.string().min(1).max(2_000).optional(),
});

/** spec: Resources, Page envelope */
export function pageOf<T extends z.ZodType>(item: T) {
  return z.object({
    content: z.array(item),
    page: z.object({ size: z.int(), number: z.int(), totalElements: z.int(), totalPages: z.int() }),
  });
}

/**
 * Where a walk goes on: the sort it belongs to and the sort values of the last item. Values are texts as the
 * database writes them, so that nothing (microseconds, decimals) is lost on the way.
 */
export interface Cursor {
  order: string;
  values: string[];
}

export function encodeCursor(cursor: Cursor): string {
  return Buffer.from(JSON.stringify([cursor.order, ...cursor.values])).toString('base64url');
}

/** Tests of cursor values that PostgreSQL can cast: it knows neither a 30th of February nor a year 0. */
export const cursorTime = {
  test(value: string): boolean {
    if (!/^\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d\.\d{3,6}Z$/.test(value) || value < '0001') return false;
    const time = new Date(value);
    return !Number.isNaN(time.getTime()) && time.toISOString().slice(0, 23) === value.slice(0, 23);
  },
};
export const cursorUuid = /^[0-9a-f]{8}(-[0-9a-f]{4}){3}-[0-9a-f]{12}$/;

/**
 * @param order what the cursor must belong to
 * @param columns tests of the values (a pattern is one): a forged cursor must not reach the database as anything else
 * @throws DomainError invalid
 */
export function decodeCursor(after: string, order: string, columns: readonly Pick<RegExp, 'test'>[]): string[] {
  const values = parseCursor(after);
  const [given, ...rest] = values;
  const fits = rest.length === columns.length && columns.every((pattern, index) => pattern.test(rest[index] ?? ''));
  if (given === order && fits) return rest;
  throw new DomainError('invalid', 'query.after: is not a cursor of this collection and sort order', {
    code: 'validation',
    errors: [{ path: 'query.after', message: 'is not a cursor of this collection and sort order' }],
  });
}

function parseCursor(after: string): string[] {
  try {
    const value: unknown = JSON.parse(
      new TextDecoder('utf-8', { fatal: true }).decode(Buffer.from(after, 'base64url')),
    );
    return Array.isArray(value) && value.every((part) => typeof part === 'string') ? value : [];
  } catch {
    return [];
  }
}

/** The `Link` header to the next page: the same request with another `after`, and without what `after` replaces. */
export function nextLink(url: string, cursor: Cursor, replaces: readonly string[] = ['page']): Record<string, string> {
  const { pathname, searchParams } = new URL(url, 'http://localhost');
  for (const name of replaces) searchParams.delete(name);
  searchParams.set('after', encodeCursor(cursor));
  return { Link: `<${pathname}?${searchParams}>; rel="next"` };
}

/** A column of a keyset: an SQL expression of ours, never a caller's text. */
export interface KeyColumn {
  sql: string;
  /** The type that a cursor's text is cast to. */
  type: string;
  direction: Direction;
}

export const orderBy = (columns: readonly KeyColumn[]) =>
  columns.map(({ sql, direction }) => `${sql} ${direction}`).join(', ');

/**
 * `(a, b) > ($1, $2)` for columns of mixed directions: rows behind the cursor, found by the index at any depth. Of
 * mixed directions only the first column can start an index.
 * @param firstParameter number of the placeholder of the first value
 */
export function behind(columns: readonly KeyColumn[], firstParameter: number): string {
  const value = (index: number) => `$${firstParameter + index}::${columns[index]?.type}`;
  const isUniform = columns.every(({ direction }) => direction === columns[0]?.direction);
  const compare = (direction: Direction) => (direction === 'asc' ? '>' : '<');
  if (isUniform) {
    const left = columns.map(({ sql }) => sql).join(', ');
    const right = columns.map((_, index) => value(index)).join(', ');
    return `(${left}) ${compare(columns[0]?.direction ?? 'asc')} (${right})`;
  }
  const alternatives = columns.map(({ sql, direction }, index) => {
    const equal = columns.slice(0, index).map((column, before) => `${column.sql} = ${value(before)}`);
    return `(${[...equal, `${sql} ${compare(direction)} ${value(index)}`].join(' and ')})`;
  });
  const [first] = columns;
  return `(${first?.sql} ${compare(first?.direction ?? 'asc')}= ${value(0)} and (${alternatives.join(' or ')}))`;
}
