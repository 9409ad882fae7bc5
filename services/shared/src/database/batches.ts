/** Small enough for a statement to end long before its time-out. */
const batchSize = 5_000;

/** The number of deleted rows, as Prisma, a builder of Kysely, or a statement of SQL returns it. */
type Deleted = { count: number } | { numDeletedRows: bigint } | { numAffectedRows?: bigint };

/** Deletes rows by short statements, each of at most `limit`. @returns how many */
export async function deleteInBatches(deleteSome: (limit: number) => Promise<Deleted>): Promise<number> {
  for (let count = 0; ; ) {
    const deleted = countOf(await deleteSome(batchSize));
    count += deleted;
    if (deleted < batchSize) return count;
  }
}

function countOf(deleted: Deleted): number {
  if ('count' in deleted) return deleted.count;
  return Number('numDeletedRows' in deleted ? deleted.numDeletedRows : (deleted.numAffectedRows ?? 0));
}

/** Reads rows by short statements, each of at most `limit` behind `last`, in the order of a unique key. */
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
