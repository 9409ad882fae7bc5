import { AsyncLocalStorage } from 'node:async_hooks';
import type pg from 'pg';
import { repeatOnConflict } from './conflicts.ts';
import type { Notifier } from './notifier.ts';
import type { Sql, Statements } from './sql.ts';

/** A transaction, for functions that must be part of one. A statement that comes after its end fails. */
export interface Transaction extends Statements {
  /** Notifies a channel after the commit: once, however often it is asked for. */
  notifyAfterCommit(channel: string): void;
}

/** The calls of a Prisma client that read and write models. */
type Models<Client> = Pick<Client, Exclude<keyof Client, `$${string}` | symbol>>;

/** A transaction with the models of a service: `tx.payment.update(…)` and ``tx.run(sql`…`)`` use the same connection. */
export type TransactionOf<Client> = Transaction & Models<Client>;

export type InTransaction<Client> = <Result>(work: (tx: TransactionOf<Client>) => Promise<Result>) => Promise<Result>;

/** Of every generated client, as it is used here: their types have no common one. */
interface Transacting {
  $transaction<Result>(
    work: (models: never) => Promise<Result>,
    limits: { maxWait: number; timeout: number },
  ): Promise<Result>;
}

/** Prisma's own time limits are not used: those of the pool and of the session end what takes too long (database.ts). */
const unlimited = { maxWait: 2 ** 31 - 1, timeout: 2 ** 31 - 1 };

/**
 * Makes the function that runs transactions, read committed: each statement sees what was committed while it waited for a lock.
 * Work is repeated when PostgreSQL rolls it back because of others, so it changes nothing but the database.
 * @param prisma has an adapter on this pool
 * @param pool made by createPool, which adds the isolation level to Prisma's BEGIN
 */
export function createTransactions<Client>(prisma: Client, pool: pg.Pool, notifier: Notifier): InTransaction<Client> {
  const connectionOf = rememberConnections(pool);

  async function transact<Result>(work: (tx: TransactionOf<Client>) => Promise<Result>) {
    const channels = new Set<string>();
    const result = await connectionOf((connection) =>
      (prisma as Transacting).$transaction(async (models: object) => {
        let isOver = false;
        const run = async ({ text, values }: Sql) => {
          if (isOver) throw new Error('The transaction has ended');
          return (await connection().query(text, values)).rows;
        };
        const notifyAfterCommit = (channel: string) => void channels.add(channel);
        // Not by assignment, which Prisma's proxy would make to the models of all transactions.
        const own = { run: { value: run }, notifyAfterCommit: { value: notifyAfterCommit } };
        try {
          return await work(Object.create(models, own));
        } finally {
          isOver = true;
        }
      }, unlimited),
    );
    return { result, channels };
  }

  return async (work) => {
    const { result, channels } = await repeatOnConflict(() => transact(work));
    for (const channel of channels) notifier.notify(channel);
    return result;
  };
}

/**
 * Remembers which connection Prisma takes from the pool for a transaction: its adapter shows it to nobody.
 * @returns runs work, which is told the first connection that was taken within it
 */
function rememberConnections(pool: pg.Pool) {
  const working = new AsyncLocalStorage<{ connection?: pg.PoolClient }>();
  const connect = pool.connect.bind(pool);
  const remember = async () => {
    const connection = await connect();
    const taken = working.getStore();
    if (taken !== undefined) taken.connection ??= connection;
    return connection;
  };
  // A pool takes connections for single statements with a callback.
  pool.connect = ((...callback: []) =>
    callback.length > 0 ? connect(...callback) : remember()) as typeof pool.connect;

  return <Result>(work: (connection: () => pg.PoolClient) => Promise<Result>): Promise<Result> => {
    const taken: { connection?: pg.PoolClient } = {};
    const connection = () => {
      if (taken.connection === undefined) throw new Error('No connection was taken');
      return taken.connection;
    };
    return working.run(taken, () => work(connection));
  };
}
