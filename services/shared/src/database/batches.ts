/** Small enough for a statement to end long before its time-out. */
const batchSize = 5_000;

/**
 * Deletes many rows by short statements.
 * @param deleteSome one statement that deletes at most `limit` rows, and returns how many it has deleted
 * @returns how many rows were deleted
 */
export async function deleteInBatches(deleteSome: (limit: number) => Promise<number>): Promise<number> {
  for (let count = 0; ; ) {
    const deleted = await deleteSome(batchSize);
    count += deleted;
    if (deleted < batchSize) return count;
  }
}

/**
 * Reads many rows by short statements, in the order of a unique key.
 * @param readAfter one statement that reads at most `limit` rows behind `last`, or the first ones
 */
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
