import { type Expression, type Kysely, sql } from 'kysely';

/** Where totals and page numbers end: both read every row before (contract 5). */
export const mostCounted = 10_000;

/** How many rows a query finds, counted up to `mostCounted`. */
export async function countRows<Tables>(kysely: Kysely<Tables>, query: Expression<unknown>): Promise<number> {
  const counted = sql<{
    count: number;
  }>`select count(*)::int as count from (${query} limit ${mostCounted}::int) as found`;
  const { rows } = await counted.execute(kysely);
  return rows[0]?.count ?? 0;
}
