import { type Kysely, type SelectQueryBuilder, sql } from 'kysely';
import type { KeysetOrder } from './keyset.ts';

/** Where totals and page numbers end: both read every row before (contract 5). */
export const mostCounted = 10_000;

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

/** Reads a page as `readPage` does, and counts the rows of all pages, up to `mostCounted`. */
export async function readCountedPage<Tables, Table extends keyof Tables, Row>(
  kysely: Kysely<Tables>,
  query: SelectQueryBuilder<Tables, Table, Row>,
  order: KeysetOrder,
  asked: PageQuery,
): Promise<CountedPage<Row>> {
  const all = query.clearSelect().select(sql.lit(1).as('one'));
  const counted = sql<{ total: number }>`
    select count(*)::int as total from (${all} limit ${mostCounted}::int) as found`;
  const [page, { rows }] = await Promise.all([readPage(query, order, asked), counted.execute(kysely)]);
  return { ...page, total: rows[0]?.total ?? 0 };
}
