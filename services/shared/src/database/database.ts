import { PrismaPg } from '@prisma/adapter-pg';
import type pg from 'pg';
import { DomainError } from '../values/errors.ts';
import { createFairQueue } from '../values/fair-queue.ts';
import { createPool, nameOf } from './connection.ts';
import { createNotifier, type Notifier } from './notifier.ts';
import { createReadReplica } from './replica.ts';
import { literal, type Run, type Sql, type Statements, sql } from './sql.ts';
import { createTransactions, type InTransaction, type TransactionOf } from './transaction.ts';

/** The database of a service. Functions that need less take `Statements` or a `Transaction`. */
export interface Database<Client> extends Statements {
  /** For ordinary work: `prisma.payment.findUnique(…)`. Statements that are hot, handle many rows or lock go to `run`. */
  prisma: Client;
  inTransaction: InTransaction<Client>;
  /**
   * Runs a transaction that locks a row that the caller has chosen, such as an order. Callers take turns, and hold at most half of the
   * connections, so a caller that waits for its own locks does not block others. A wait for a lock ends after 2 s.
   * @param callerId the account, or another sender whose requests may be many
   * @throws DomainError unavailable if too many wait
   */
  transactionOf<Result>(callerId: string, work: (tx: TransactionOf<Client>) => Promise<Result>): Promise<Result>;
  notifier: Notifier;
  /**
   * For reads that a caller can make expensive: lists use separate connections from writes, and get less time (contract 5).
   * @throws DomainError unavailable if too many wait
   */
  lists: Lists;
  /** For short statements that many requests wait for: they have their own connections, apart from writes and lists. */
  checks: Statements;
  close(): Promise<void>;
}

export interface Lists extends Statements {
  /** Not prepared, so that PostgreSQL chooses the plan and the index for the given values. */
  runOnce: Run;
  readReplica: ReturnType<typeof createReadReplica>;
  /**
   * Reads a list for a caller. Callers with many lists wait in their own queue, and leave a connection for the next caller. Slow lists
   * of a caller are read one at a time.
   * @param caller the account, or the client's address if there is no account; undefined for callers behind the gateway
   */
  inTurn<Result>(caller: string | undefined, work: () => Promise<Result>): Promise<Result>;
}

/** The class that Prisma generates from the schema of a service. */
export type ClientClass<Client> = new (options: { adapter: PrismaPg }) => Client;

/**
 * Prepares the connections of a process, which its Prisma client also uses, and a few separate ones for lists and checks. Each
 * connection is opened when it is first needed.
 * @param url postgresql://role:password@host:port/database, or file:///path of a file that holds it (connection.ts)
 * @param replicaUrl the URL of a replica, in the same form, for lists that may be read there
 */
export function openDatabase<Client>(
  PrismaClient: ClientClass<Client>,
  url: string,
  poolSize = 10,
  replicaUrl?: string,
): Database<Client> {
  // Only transactions have several statements in flight (transaction.ts).
  const pool = createPool({ ...limits, connectionString: url, max: poolSize, pipeline: true });
  const listPool = requireRoom(createPool({ ...limits, ...listLimits, connectionString: url }));
  const checkPool = createPool({ ...limits, ...listLimits, connectionString: url, max: maxChecks });
  const replicaLimits = { ...limits, ...listLimits, connectionTimeoutMillis: 500 };
  const replicaPool =
    replicaUrl === undefined ? undefined : createPool({ ...replicaLimits, connectionString: replicaUrl });
  const turns = createFairQueue({
    concurrency: maxLists,
    spare: 1,
    slowMs: slowListMs,
    waiting: maxWaitingLists,
    maxWaitMs: limits.connectionTimeoutMillis,
    refusal: tooManyLists,
  });
  const lockTurns = createFairQueue({
    concurrency: Math.floor(poolSize / 2),
    spare: 1,
    waiting: maxWaitingForLocks,
    maxWaitMs: limits.connectionTimeoutMillis,
    refusal: tooManyChanges,
  });
  const run = runOn(pool);
  const notifier = createNotifier(run);
  const adapter = new PrismaPg(pool, { onConnectionError: () => undefined, statementNameGenerator: nameOf });
  const prisma = new PrismaClient({ adapter });
  const inTransaction = createTransactions(prisma, pool, notifier);
  return {
    prisma,
    run,
    inTransaction,
    transactionOf: (callerId, work) =>
      lockTurns.run([callerId], () =>
        inTransaction(async (tx) => {
          // Only for this transaction: handlers of events wait longer for locks, and a pooler drops settings of a connection.
          tx.send(sql`set local lock_timeout = ${literal(lockTimeoutMs)}`);
          return work(tx);
        }),
      ),
    notifier,
    lists: {
      run: runOn(listPool),
      runOnce: async ({ text, values }) => (await listPool.query({ text, values })).rows,
      readReplica: createReadReplica(replicaPool),
      inTurn: (caller, work) => turns.run([caller ?? 'inside'], work),
    },
    checks: { run: runOn(checkPool) },
    close: async () => void (await Promise.all([pool, listPool, checkPool, replicaPool].map((one) => one?.end()))),
  };
}

/** Every wait has a limit: 2 s for a connection, 10 s for a statement. */
const limits = {
  connectionTimeoutMillis: 2_000,
  statement_timeout: 10_000,
  idle_in_transaction_session_timeout: 20_000,
  keepAlive: true,
};
const lockTimeoutMs = 2_000;
/** Fewer than the requests that a process admits, like `maxWaitingLists`. */
const maxWaitingForLocks = 200;
const maxLists = 5;
/** A page of many large orders or a search without an index takes longer. Most lists take 2 ms. */
const slowListMs = 20;
const listLimits = { max: maxLists, statement_timeout: 2_000 };
/** The second takes over while the first waits for its time-out. */
const maxChecks = 2;
/** Fewer than the requests that a process admits (http/in-flight.ts), so that lists alone never make a service refuse other requests. */
const maxWaitingLists = 200;

function tooManyLists(): DomainError {
  return new DomainError('unavailable', 'Too many lists are being read. Try again shortly.', { code: 'overloaded' });
}

function tooManyChanges(): DomainError {
  return new DomainError('unavailable', 'Too many changes are waiting. Try again shortly.', { code: 'overloaded' });
}

/** Makes `connect` fail if too many callers wait for a connection. */
function requireRoom(pool: pg.Pool): pg.Pool {
  const connect = pool.connect.bind(pool);
  pool.connect = (...callback: []) => {
    if (pool.waitingCount >= maxWaitingLists) throw tooManyLists();
    return connect(...callback);
  };
  return pool;
}

const runOn =
  (pool: pg.Pool): Run =>
  async ({ text, values }: Sql) =>
    (await pool.query(text, values)).rows;
