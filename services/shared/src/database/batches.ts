import { literal, type Run, type Sql, sql } from './sql.ts';

/** Small enough for a statement to end long before its time-out. */
const batchSize = 5_000;

/**
 * Deletes rows in short statements.
 * @param deletion statement that deletes at most `limit` rows
 * @returns the number of deleted rows
 */
export async function deleteInBatches(run: Run, deletion: (limit: Sql) => Sql): Promise<number> {
  const deleteSome = sql`
    with deleted as (${deletion(literal(batchSize))} returning 1) select count(*)::int as count from deleted`;
  for (let count = 0; ; ) {
    const [{ count: deleted } = { count: 0 }] = await run<{ count: number }>(deleteSome);
    count += deleted;
    if (deleted < batchSize) return count;
  }
}

/** Reads rows in short statements, each of at most `limit` rows after `last`, in the order of a unique key. */
export async function* readInBatches<Row>(
  readAfter: (last: Row | undefined, limit: number) => Promise<Row[]>,
): AsyncGenerator<Row[]> {
  for (let last: Row | undefined; ; ) {
    const rows = await readAfter(last, batchSize);
    yield rows;
    if (rows.length < batchSize) return;
    last = rows.at(-1);
  }
}
