import { AsyncLocalStorage } from 'node:async_hooks';
import type pg from 'pg';
import { repeatOnConflict } from './conflicts.ts';
import type { Notifier } from './notifier.ts';
import type { Sql, Statements } from './sql.ts';

/** A transaction, for functions that must run in one. A statement after its end fails. */
export interface Transaction extends Statements {
  /**
   * Sends a statement whose rows nobody needs, and does not wait for it: what follows is sent with it. PostgreSQL carries statements
   * out in their order, and none is committed unless all succeed. The transaction fails with the error of the first that fails.
   */
  send(statement: Sql): void;
  /** Notifies a channel after the commit; once, even if called repeatedly. */
  notifyAfterCommit(channel: string): void;
  /** Calls a function after the commit; not at all if there is none. */
  afterCommit(call: () => void): void;
}

/** The models of a Prisma client. */
type Models<Client> = Pick<Client, Exclude<keyof Client, `$${string}` | symbol>>;

/** A transaction with the models of a service: `tx.payment.update(…)` and ``tx.run(sql`…`)`` use the same connection. */
export type TransactionOf<Client> = Transaction & Models<Client>;

export type InTransaction<Client> = <Result>(
  work: (tx: TransactionOf<Client>) => Promise<Result> | Result,
) => Promise<Result>;

/** The one method of generated clients that is used here; they have no common type. */
interface Transacting {
  $transaction<Result>(
    work: (models: never) => Promise<Result>,
    limits: { maxWait: number; timeout: number },
  ): Promise<Result>;
}

/** Prisma's own time limits are disabled: those of the pool and the session apply (database.ts). */
const unlimited = { maxWait: 2 ** 31 - 1, timeout: 2 ** 31 - 1 };

/**
 * Makes the function that runs transactions at read committed: each statement sees rows that were committed while it waited for a lock.
 * Work is repeated if PostgreSQL rolls it back because of other transactions, so it must change nothing but the database.
 * @param prisma a client with an adapter on this pool
 * @param pool made by createPool, which adds the isolation level to Prisma's BEGIN
 */
export function createTransactions<Client>(prisma: Client, pool: pg.Pool, notifier: Notifier): InTransaction<Client> {
  const connectionOf = rememberConnections(pool);

  async function transact<Result>(work: (tx: TransactionOf<Client>) => Promise<Result> | Result) {
    const channels = new Set<string>();
    const calls: (() => void)[] = [];
    const result = await connectionOf((connection) =>
      (prisma as Transacting).$transaction(async (models: object) => {
        let isOver = false;
        const sent: Promise<unknown>[] = [];
        const query = ({ text, values }: Sql) => {
          if (isOver) throw new Error('The transaction has ended');
          return connection().query(text, values);
        };
        const run = async (statement: Sql) => (await query(statement)).rows;
        const send = (statement: Sql) => {
          const answer = query(statement);
          // Heard at the end, even if the work fails first.
          answer.catch(() => undefined);
          sent.push(answer);
        };
        const notifyAfterCommit = (channel: string) => void channels.add(channel);
        // Not by assignment, which Prisma's proxy would apply to the models of all transactions.
        const afterCommit = (call: () => void) => void calls.push(call);
        const own = {
          run: { value: run },
          send: { value: send },
          notifyAfterCommit: { value: notifyAfterCommit },
          afterCommit: { value: afterCommit },
        };
        try {
          return await work(Object.create(models, own));
        } finally {
          isOver = true;
          // Before the commit. After a failed statement, the error of the work is only that the others were refused.
          await Promise.all(sent);
        }
      }, unlimited),
    );
    return { result, channels, calls };
  }

  return async (work) => {
    const { result, channels, calls } = await repeatOnConflict(() => transact(work));
    for (const channel of channels) notifier.notify(channel);
    for (const call of calls) call();
    return result;
  };
}

/**
 * Remembers which connection Prisma takes from the pool for a transaction, because its adapter does not expose it.
 * @returns a function that runs work and gives it the first connection that was taken during that work
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
  // For a single statement, the pool calls `connect` with a callback.
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
