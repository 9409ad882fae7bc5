import { PrismaPg } from '@prisma/adapter-pg';
import {
  type CompiledQuery,
  Kysely,
  type PostgresCursor,
  PostgresDialect,
  type PostgresPoolClient,
  type PostgresQueryResult,
} from 'kysely';
import type pg from 'pg';
import { DomainError } from '../values/errors.ts';
import { createFairQueue } from '../values/fair-queue.ts';
import { createPool } from './connection.ts';
import { createReadReplica } from './replica.ts';

export type Database<Tables> = ReturnType<typeof openDatabase<Tables>>;

/**
 * The connections of a process, shared by Kysely and Prisma, and a few of their own for lists and checks, opened when they
 * are needed. numeric and bigint arrive as text.
 * @param url postgresql://role:password@host:port/database, or file:///path of a file that holds it (connection.ts)
 * @param replicaUrl the same of a replica, for lists that may come from one
 * @typeParam Tables generated from schema.prisma: src/generated/tables.ts of the service
 */
export function openDatabase<Tables>(url: string, poolSize = 10, replicaUrl?: string) {
  const pool = openPool({ ...limits, connectionString: url, max: poolSize });
  const listPool = openPool({ ...limits, ...listLimits, connectionString: url });
  const checkPool = openPool({ ...limits, ...listLimits, connectionString: url, max: maxChecks });
  const replicaLimits = { ...limits, ...listLimits, connectionTimeoutMillis: 500 };
  const replicaPool =
    replicaUrl === undefined ? undefined : openPool({ ...replicaLimits, connectionString: replicaUrl });
  const turns = createFairQueue({
    concurrency: maxLists,
    waiting: maxWaitingLists,
    patienceMs: limits.connectionTimeoutMillis,
    refusal: tooManyLists,
  });
  const nameOf = createStatementNames();

  return {
    /** Statements typed by the service's tables. */
    kysely: kyselyOn<Tables>(pool, nameOf),
    run: runOn(pool, nameOf),
    /** `new PrismaClient({ adapter })` uses the same connections. */
    adapter: new PrismaPg(pool, { onConnectionError: ignore, statementNameGenerator: nameOf }),
    /**
     * For what a caller can make expensive: lists never hold the connections of writes, and get less time (contract 5).
     * @throws DomainError unavailable if too many wait
     */
    lists: {
      kysely: kyselyOn<Tables>(listPool, nameOf, requireRoom),
      run: runOn(listPool, nameOf, requireRoom),
      /** Not prepared: PostgreSQL chooses the plan, and with it the index, for these very values. */
      runOnce: runOn(listPool, () => '', requireRoom),
      readReplica: createReadReplica(replicaPool, nameOf),
      /** Reads a list of an account: accounts take turns, so that one that reads a lot does not keep others waiting. */
      inTurn: <T>(accountId: string, work: () => Promise<T>) => turns.run([accountId], work),
    },
    /** For a short statement that many requests wait for: neither writes nor lists hold its connections. */
    checks: { run: runOn(checkPool, nameOf) },
    close: async (): Promise<void> =>
      void (await Promise.all([pool, listPool, checkPool, replicaPool].map((one) => one?.end()))),
  };
}

/** Nothing waits forever: 2 s for a connection, 10 s for a statement. */
const limits = {
  connectionTimeoutMillis: 2_000,
  statement_timeout: 10_000,
  query_timeout: 12_000,
  idle_in_transaction_session_timeout: 20_000,
  keepAlive: true,
};
const maxLists = 5;
const listLimits = { max: maxLists, statement_timeout: 2_000, query_timeout: 4_000 };
/** The second takes over while the first is given up as silent. */
const maxChecks = 2;
/** Fewer than requests are admitted (http/in-flight.ts), so that lists alone never make a service refuse the rest. */
const maxWaitingLists = 200;

function requireRoom({ waitingCount }: pg.Pool): void {
  if (waitingCount >= maxWaitingLists) throw tooManyLists();
}

function tooManyLists(): DomainError {
  return new DomainError('unavailable', 'Too many lists are being read. Try again shortly.', { code: 'overloaded' });
}

/**
 * Opens a pool whose connections end where PostgreSQL does not answer for longer than it lets a statement run. After a time-out
 * of its own pg gives such a connection back to the pool, where one request after another would wait for it.
 */
function openPool(config: typeof limits & pg.PoolConfig & { connectionString: string }): pg.Pool {
  const pool = createPool({ ...config, silentAfterMs: config.statement_timeout + 1_000 });
  pool.on('error', ignore);
  pool.on('connect', (client) => client.on('error', ignore));
  return pool;
}

type NameOf = (query: { sql: string }) => string;
type Admit = (pool: pg.Pool) => void;

/**
 * Runs a compiled statement outside transactions: for the hottest paths. Kysely's own execution awaits a dozen promises,
 * a tenth of the CPU of a request (decisions/0007).
 */
const runOn =
  (pool: pg.Pool, nameOf: NameOf, admit: Admit = ignore) =>
  async <Row>({ sql, parameters }: CompiledQuery<Row>): Promise<Row[]> => {
    admit(pool);
    const { rows } = await pool.query({ text: sql, values: [...parameters], name: nameOf({ sql }) });
    return rows;
  };

function kyselyOn<Tables>(pool: pg.Pool, nameOf: NameOf, admit: Admit = ignore): Kysely<Tables> {
  const clients = new WeakMap<pg.PoolClient, PostgresPoolClient>();
  /** Kysely keeps what it knows of a connection by its client, so each has one wrapper. */
  function preparing(client: pg.PoolClient): PostgresPoolClient {
    const known = clients.get(client);
    if (known !== undefined) return known;
    function query<R>(text: string, values: readonly unknown[]): Promise<PostgresQueryResult<R>>;
    function query<R>(cursor: PostgresCursor<R>): PostgresCursor<R>;
    function query(text: unknown, values: readonly unknown[] = []): unknown {
      if (typeof text !== 'string') throw new Error('Cursors are not prepared');
      return client.query({ text, values: [...values], name: nameOf({ sql: text }) });
    }
    const wrapper = { query, release: (destroy?: boolean) => client.release(destroy) };
    clients.set(client, wrapper);
    return wrapper;
  }
  const connect = async () => {
    admit(pool);
    return preparing(await pool.connect());
  };
  return new Kysely<Tables>({
    dialect: new PostgresDialect({ pool: { connect, end: () => pool.end(), options: {} } }),
  });
}

/** The pool replaces an idle connection that breaks; a query on a broken one reports the error itself. */
const ignore = () => undefined;

/** The most statements that stay prepared: each sort order is one of its own, and occupies memory for the life of the connection. */
const maxPrepared = 100;

/** Names statements, which stay prepared by it: parsing and planning are a good part of what a short one costs. */
function createStatementNames(): NameOf {
  const names = new Map<string, string>();
  return ({ sql }) => {
    if (!names.has(sql) && names.size < maxPrepared) names.set(sql, `s${names.size}`);
    return names.get(sql) ?? '';
  };
}
