import { z } from 'zod';
import type { Direction, Sort } from '../database/keyset.ts';
import { maxCounted } from '../database/read-page.ts';
import { wholeNumber } from '../values/fields.ts';

/** More than the fields of any list, because fields may be repeated. */
const maxSorts = 32;

/**
 * `sort=field,direction`, repeatable. The direction is case-insensitive and asc by default. If a field is repeated, the first counts.
 * @param unique fields without equal values: sorts after them are ignored
 */
export function sortQuery<const F extends string>(
  fields: readonly F[],
  fallback: Sort<NoInfer<F>>[],
  unique: readonly NoInfer<F>[] = [],
) {
  const one = z
    .string()
    .overwrite((value) => value.replace(/,\w+$/, (direction) => direction.toLowerCase()))
    .regex(
      new RegExp(`^(${fields.join('|')})(,(asc|desc))?$`),
      `must be one of ${fields.join(', ')}, optionally followed by ,asc or ,desc`,
    )
    .transform((value): Sort<F> => {
      const [field, direction = 'asc'] = value.split(',');
      return { field: field as F, direction: direction as Direction };
    });
  return z
    .union([
      one.transform((sort) => [sort]),
      z
        .array(one)
        .min(1)
        .max(maxSorts)
        .transform(firstOfEach)
        .transform((sorts) => sorts.slice(0, sorts.findIndex(({ field }) => unique.includes(field)) + 1 || undefined)),
    ])
    .default(fallback)
    .meta({ type: 'array', items: { type: 'string', examples: fields.map((field) => `${field},desc`) } });
}

/** Drops repeated fields: they would only lengthen the cursor, and long cursors are refused. */
const firstOfEach = <F extends string>(sorts: Sort<F>[]) =>
  sorts.filter(({ field }, index) => sorts.findIndex((other) => other.field === field) === index);

/** The query of a list. Pages that begin after the last counted row are refused, unless a cursor replaces the page. */
export const pagedQuery = <Own extends z.core.$ZodLooseShape>(defaultSize: number, maxSize: number, own: Own) =>
  z
    .object({
      page: wholeNumber(0, maxCounted)
        .default(0)
        .describe(`page × size is at most ${maxCounted}; use after to read on.`),
      size: wholeNumber(1, maxSize).default(defaultSize),
      /** Opaque: taken from `Link: rel="next"`. */
      after: z.string().min(1).max(2_000).optional(),
      ...own,
    })
    .refine(isCounted, {
      path: ['page'],
      error: `page × size must be at most ${maxCounted}: use after to read on, as the Link header does`,
    });

/** NaN, the product of invalid numbers, does not count as too large; their own errors say more. */
const isCounted = ({ page, size, after }: { page?: unknown; size?: unknown; after?: unknown }) =>
  after !== undefined || !(Number(page) * Number(size) > maxCounted);

/** The page envelope (contract 5). */
export function pageOf<T extends z.ZodType>(item: T) {
  return z.object({
    content: z.array(item),
    page: z.object({ size: z.int(), number: z.int(), totalElements: z.int(), totalPages: z.int() }),
  });
}

/** Counts the pages that are served: `pagedQuery` refuses pages that begin after `maxCounted`. */
export const pageInfo = ({ size, page: number }: { size: number; page: number }, totalElements: number) => ({
  size,
  number,
  totalElements,
  totalPages: Math.min(Math.ceil(totalElements / size), Math.floor(maxCounted / size) + 1),
});

/** Describes the header of `nextLink` in documents. */
export const nextPage = { Link: 'The next page, as rel="next", while there is more.' };

/** Returns the cursor of the next page from a `Link` header of `nextLink`. */
export function cursorIn(link: string | undefined): string | undefined {
  const [, path] = /<([^>]*)>; rel="next"/.exec(link ?? '') ?? [];
  return path === undefined ? undefined : (new URL(path, 'http://localhost').searchParams.get('after') ?? undefined);
}

/** The `Link` header to the next page, if there is one: the same request with another `after`, or another parameter of this meaning. */
export function nextLink(
  url: string,
  cursor: string | undefined,
  replaces = ['page'],
  parameter = 'after',
): Record<string, string> {
  if (cursor === undefined) return {};
  const { pathname, searchParams } = new URL(url, 'http://localhost');
  for (const name of replaces) searchParams.delete(name);
  searchParams.set(parameter, cursor);
  return { Link: `<${pathname}?${searchParams}>; rel="next"` };
}
