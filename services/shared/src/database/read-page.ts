import { type Kysely, type SelectQueryBuilder, sql } from 'kysely';
import { countRows } from './count.ts';
import type { KeysetOrder } from './keyset.ts';

export interface PageQuery {
  page?: number | undefined;
  size: number;
  /** A cursor, which replaces the page. */
  after?: string | undefined;
}

export interface Page<Row> {
  rows: Row[];
  /** Cursor of the next page. */
  next: string | undefined;
}

export interface CountedPage<Row> extends Page<Row> {
  /** Counted up to `mostCounted`. */
  total: number;
}

/** Reads a page of the rows that a query selects. */
export async function readPage<Tables, Table extends keyof Tables, Row>(
  query: SelectQueryBuilder<Tables, Table, Row>,
  order: KeysetOrder,
  { page = 0, size, after }: PageQuery,
): Promise<Page<Row>> {
  // One row more than requested tells whether there is a next page.
  const sorted = query
    .select(order.position.as('position'))
    .orderBy(order.orderBy)
    .limit(sql<number>`${size}::int + 1`);
  const selected =
    after === undefined ? sorted.offset(sql<number>`${page}::bigint * ${size}::int`) : sorted.where(order.after(after));
  const found = (await selected.execute()) as (Row & { position: string[] })[];
  const last = found.length > size ? found[size - 1] : undefined;
  return { rows: found.slice(0, size), next: last && order.cursorOf(last.position) };
}

/** Reads a page as `readPage` does, and counts the rows of all pages. */
export async function readCountedPage<Tables, Table extends keyof Tables, Row>(
  kysely: Kysely<Tables>,
  query: SelectQueryBuilder<Tables, Table, Row>,
  order: KeysetOrder,
  asked: PageQuery,
): Promise<CountedPage<Row>> {
  const [page, total] = await Promise.all([
    readPage(query, order, asked),
    countRows(kysely, query.clearSelect().select(sql.lit(1).as('one'))),
  ]);
  return { ...page, total };
}
