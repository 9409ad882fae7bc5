import { PrismaPg } from '@prisma/adapter-pg';
import pg from 'pg';
import { preparedNames, type Query, type Transact } from './query.ts';

/**
 * The connections of a service, for Prisma and for the few statements that are too busy to go through it.
 * @param url postgresql://role:password@host:port/database
 */
export function openDatabase(url: string, poolSize?: number) {
  const pool = new pg.Pool(poolConfig(url, poolSize));
  pool.on('error', ignore);
  pool.on('connect', (client) => client.on('error', ignore));
  const statementNameGenerator = preparedNames();
  const queryOn =
    (connection: pg.Pool | pg.PoolClient): Query =>
    async (sql, ...values) =>
      (await connection.query({ text: sql, values, name: statementNameGenerator({ sql }) })).rows;

  const transact: Transact = async (work) => {
    const client = await pool.connect();
    let failure: Error | undefined;
    try {
      await client.query('begin');
      const result = await work(queryOn(client));
      const { command } = await client.query('commit');
      if (command !== 'COMMIT') throw new Error('The transaction was rolled back: one of its statements had failed.');
      return result;
    } catch (error) {
      await client.query('rollback').catch((broken: Error) => {
        failure = broken;
      });
      throw error;
    } finally {
      client.release(failure);
    }
  };

  return {
    adapter: new PrismaPg(pool, { onConnectionError: ignore, statementNameGenerator }),
    query: queryOn(pool),
    transact,
    close: () => pool.end(),
  };
}

/** Nothing waits for ever: 2 s for a connection, 10 s for a statement. */
const poolConfig = (url: string, poolSize = 10): pg.PoolConfig => ({
  connectionString: url,
  max: poolSize,
  connectionTimeoutMillis: 2_000,
  statement_timeout: 10_000,
  query_timeout: 12_000,
  idle_in_transaction_session_timeout: 20_000,
  keepAlive: true,
});

/** An idle connection that breaks is replaced by the pool; the queries that meet a broken one say so themselves. */
const ignore = () => undefined;
