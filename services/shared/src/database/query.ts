/**
 * Sends a statement and gives its rows, as Prisma's `$queryRawUnsafe` does, at a fraction of its cost; numeric and
 * bigint come as text.
 */
export type Query = <Row extends object>(sql: string, ...values: unknown[]) => Promise<Row[]>;

/** Runs `work` with a `query` of its own in one transaction, which is undone when `work` throws. */
export type Transact = <T>(work: (query: Query) => Promise<T>) => Promise<T>;

/**
 * Names by which statements stay prepared in a connection: parsing and planning are a good part of what a short one costs.
 * Only the first ones have a name, for every sort order is a statement of its own, and each takes memory for ever.
 */
export function preparedNames(limit = 100): (query: { sql: string }) => string {
  const names = new Map<string, string>();
  return ({ sql }) => {
    if (!names.has(sql) && names.size < limit) names.set(sql, `s${names.size}`);
    return names.get(sql) ?? '';
  };
}
