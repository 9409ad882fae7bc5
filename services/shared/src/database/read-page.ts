import type { KeysetOrder } from './keyset.ts';
import { empty, join, type Run, type Sql, sql } from './sql.ts';

/** Totals and page numbers stop here, because both read all rows before it (contract 5). */
export const maxCounted = 10_000;

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
  /** Counted up to `maxCounted`. */
  total: number;
}

/** The rows of a list, such as ``{ select: sql`id, name`, from: sql`products`, where: [sql`price > ${least}`] }``. */
export interface Selection {
  select: Sql;
  from: Sql;
  /** Conditions, joined by `and`. */
  where?: readonly Sql[];
}

/** @typeParam Row the columns in `select` */
export async function readPage<Row>(
  run: Run,
  { select, from, where = [] }: Selection,
  order: KeysetOrder,
  { page = 0, size, after }: PageQuery,
): Promise<Page<Row>> {
  const conditions = after === undefined ? where : [...where, order.after(after)];
  const offset = after === undefined ? sql`offset ${page}::bigint * ${size}::int` : empty;
  // One more row than requested tells whether there is a next page.
  const found = await run<Row & { position: string[] }>(sql`
    select ${select}, ${order.position} as position from ${from} where ${allOf(conditions)}
    order by ${order.orderBy} limit ${size}::int + 1 ${offset}`);
  const last = found.length > size ? found[size - 1] : undefined;
  return { rows: found.slice(0, size), next: last && order.cursorOf(last.position) };
}

/** Reads a page like `readPage`, and counts the rows of all pages, up to `maxCounted`. */
export async function readCountedPage<Row>(
  run: Run,
  selection: Selection,
  order: KeysetOrder,
  asked: PageQuery,
): Promise<CountedPage<Row>> {
  const { from, where = [] } = selection;
  const counted = run<{ total: number }>(sql`
    select count(*)::int as total from (select from ${from} where ${allOf(where)} limit ${maxCounted}::int) as found`);
  const [page, [count]] = await Promise.all([readPage<Row>(run, selection, order, asked), counted]);
  return { ...page, total: count?.total ?? 0 };
}

/** Joins conditions by `and`; true if there are none. */
export const allOf = (conditions: readonly Sql[]): Sql => join([sql`true`, ...conditions], ' and ');
