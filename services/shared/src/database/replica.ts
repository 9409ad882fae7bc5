import type pg from 'pg';
import { Counter } from 'prom-client';
import { isConflict, isDatabaseUnavailable } from './errors.ts';
import type { Sql } from './sql.ts';

const reads = new Counter({
  name: 'replica_reads_total',
  help: 'Lists read on a replica of the database, by result: current, stale or failed; after the last two the primary was asked.',
  labelNames: ['result'],
});

/** How long a replica is not asked after it was unavailable. */
const restMs = 10_000;
/** The statement took too long, and would also do so on the primary. */
const timedOut = '57014';

export function createReadReplica(pool: pg.Pool | undefined) {
  let restsUntil = 0;

  async function ask({ text, values }: Sql, isPrepared: boolean) {
    if (pool === undefined || Date.now() < restsUntil) return undefined;
    try {
      return (await (isPrepared ? pool.query(text, values) : pool.query({ text, values }))).rows;
    } catch (error) {
      if ((error as pg.DatabaseError).code === timedOut) throw error;
      // A conflict means that this statement was in the way of replication, not that the replica is unavailable.
      if (isDatabaseUnavailable(error) && !isConflict(error)) restsUntil = Date.now() + restMs;
      reads.inc({ result: 'failed' });
      return undefined;
    }
  }

  /**
   * Runs a statement on a replica.
   * @param isCurrent tells from the rows whether they are recent enough
   * @returns undefined if the primary must be asked: there is no replica, it is behind, or it failed
   */
  return async <Row = unknown>(
    statement: Sql,
    isCurrent: (rows: Row[]) => boolean | Promise<boolean>,
    isPrepared = true,
  ): Promise<Row[] | undefined> => {
    const rows = await ask(statement, isPrepared);
    if (rows === undefined) return undefined;
    const result = (await isCurrent(rows)) ? 'current' : 'stale';
    reads.inc({ result });
    return result === 'current' ? rows : undefined;
  };
}
