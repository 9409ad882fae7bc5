import { countRows } from '@store/shared/database/count';
import type { KeysetOrder, Sort } from '@store/shared/database/keyset';
import { pageInfo } from '@store/shared/http/pagination';
import { type Kysely, type SelectQueryBuilder, sql } from 'kysely';
import type { DB } from './generated/tables.ts';

export interface PageQuery {
  page: number;
  size: number;
  after?: string | undefined;
  sort: Sort[];
}

export interface Page {
  /** A page envelope, as JSON. */
  json: string;
  /** Cursor of the next page. */
  next: string | undefined;
}

/** Reads a page of the rows that a query selects as `json`, and counts them. */
export async function readPage<Table extends keyof DB>(
  kysely: Kysely<DB>,
  query: SelectQueryBuilder<DB, Table, { json: string }>,
  order: KeysetOrder,
  { page, size, after }: PageQuery,
): Promise<Page> {
  // One row more than requested tells whether there is a next page.
  let rows = query.select(order.position.as('position')).orderBy(order.orderBy).limit(sql<number>`${size}::int + 1`);
  rows =
    after === undefined ? rows.offset(sql<number>`${page}::bigint * ${size}::int`) : rows.where(order.after(after));
  const [found, count] = await Promise.all([
    rows.execute() as Promise<{ json: string; position: string[] }[]>,
    countRows(kysely, query.clearSelect().select(sql.lit(1).as('one'))),
  ]);
  const content = found.slice(0, size).map(({ json }) => json);
  const last = found.length > size ? found[size - 1] : undefined;
  return {
    json: `{"content":[${content.join(',')}],"page":${JSON.stringify(pageInfo({ size, page }, count))}}`,
    next: last && order.cursorOf(last.position),
  };
}
