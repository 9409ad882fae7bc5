import { readFileSync } from 'node:fs';
import { Socket } from 'node:net';
import { fileURLToPath } from 'node:url';
import pg from 'pg';
import { databaseUrl } from './config.ts';
import { maxAttempts } from './conflicts.ts';
import { isConflict, misconfiguredCode } from './errors.ts';

/** `role:password`, neither of which may need escaping in a URL. */
const isLogin = /^[\w.~-]+:[\w.~-]+$/;

/**
 * Returns what DATABASE_URL stands for now. A file is read each time, because that of a Secret changes while a process
 * runs; what stands behind its path, such as `?sslrootcert=/path`, is added to the URL in it. With `?at=host:port/database`
 * the file holds `role:password` alone.
 * @throws Error where the file holds none, without its content
 */
function currentUrl(url: string): string {
  const given = new URL(url);
  if (given.protocol !== 'file:') return url;
  const path = fileURLToPath(given);
  const at = given.searchParams.get('at');
  given.searchParams.delete('at');
  const text = readFileSync(path, 'utf8').trim();
  const held = databaseUrl.safeParse(at === null ? text : `postgresql://${text}@${at}`);
  if (!held.success || (at !== null && !isLogin.test(text))) {
    const wanted = at === null ? 'no URL like postgresql://role:password@host:port/database' : 'no role:password';
    throw new Error(`The file ${path} holds ${wanted}`);
  }
  const current = new URL(held.data);
  for (const [name, value] of given.searchParams) current.searchParams.set(name, value);
  return current.href;
}

/**
 * What every session has, whatever database and role have been given. Prisma's adapter needs the time zone: it writes times
 * without one, and takes those that it reads for UTC (prisma/orm#28629). PgBouncer passes the first two on, even from
 * ignored `options`, in the spelling that PostgreSQL reports; for the last one see {@link PreparingClient}.
 */
const session = '-c TimeZone=UTC -c DateStyle=ISO,\\ MDY -c default_transaction_isolation=read\\ committed';

/** Adds {@link session} to the options of a URL and those of a client: a parameter of the URL would replace the client's. */
function withSession(url: string, options = ''): string {
  const all = new URL(url);
  // The last one of a name counts.
  all.searchParams.set('options', `${all.searchParams.get('options') ?? ''} ${options} ${session}`.trim());
  return all.href;
}

interface ConnectionConfig extends pg.ClientConfig {
  connectionString: string;
}

/** A client that logs in as {@link currentUrl} says. What is wrong with a file is an error of its `connect`. */
export const createClient = (config: ConnectionConfig): pg.Client => new CurrentClient(config);

/** Connections that log in as {@link currentUrl} says. Statements given as text, not as an object, stay prepared. */
export function createPool(config: ConnectionConfig & pg.PoolConfig): pg.Pool {
  const pool = new pg.Pool({ ...config, Client: PreparingClient });
  // It replaces an idle connection that breaks; a query on a broken one reports the error itself.
  pool.on('error', () => undefined);
  pool.on('connect', (client) => client.on('error', () => undefined));
  return pool;
}

/**
 * Prisma's adapter begins a transaction without its isolation level, or sets that by one more round trip. It is named because
 * that of a session behind a pooler is its role's.
 */
const prismaBegin = 'BEGIN';
const begin = 'begin isolation level read committed';

/** The most statements that stay prepared: each sort order is one of its own, and occupies memory for the life of the connection. */
const maxPrepared = 100;
const names = new Map<string, string>();

/** Names a statement, which stays prepared by it: parsing and planning are a good part of what a short one costs. */
export function nameOf({ sql }: { sql: string }): string {
  if (!names.has(sql) && names.size < maxPrepared) names.set(sql, `s${names.size}`);
  return names.get(sql) ?? '';
}

/**
 * Ends a connection where PostgreSQL does not answer for longer than it lets a statement run. After a time-out of its own,
 * `query_timeout`, pg would give such a connection back to the pool, where one request after another would wait for it.
 */
class CurrentClient extends pg.Client {
  readonly #url: string;
  readonly #isTried: boolean;

  /** @param config undefined for the types of pg alone */
  constructor(config: ConnectionConfig = { connectionString: '' }) {
    const { connectionString, socket } = opened(config);
    super({ ...config, connectionString, stream: () => socket });
    this.#url = config.connectionString;
    this.#isTried = !(socket instanceof BrokenSocket);
    const silentAfterMs = config.statement_timeout ? config.statement_timeout + 1_000 : 0;
    socket.setTimeout(silentAfterMs);
    socket.on('timeout', () => {
      // Node.js does not start a timer again that has expired.
      if ('readyForQuery' in this && this.readyForQuery) socket.setTimeout(silentAfterMs);
      else socket.destroy();
    });
  }

  /** Has the type that fits all overloads of pg's. */
  override connect(callback?: (error: never, client: never) => void): never {
    const connected = super.connect().catch((error: Error) => {
      if (this.#isTried) failures.set(this.#url, { at: performance.now(), error });
      throw error;
    });
    if (callback) connected.then(() => callback(null as never, this as never), callback as () => void);
    return connected as never;
  }
}

/** Rest after one could not be opened: opening costs more than all else of a request, and a recovering database much. */
const restMs = 200;
const failures = new Map<string, { at: number; error: Error }>();

/**
 * Repeats a statement outside a transaction that PostgreSQL rolled back because of another one. Behind a pooler a session may
 * have the isolation level of its role, at which a statement fails where it had to wait for a row.
 */
class PreparingClient extends CurrentClient {
  /** Has the type that fits all overloads of pg's. */
  override query(sql: unknown, ...values: unknown[]): never {
    return this.#send([prepared(sql), ...values], 1) as never;
  }

  #send(query: unknown[], attempt: number): unknown {
    // That of the connection before this statement, as ReadyForQuery follows the error.
    const isToRepeat = (error: unknown) =>
      attempt < maxAttempts && isConflict(error) && this.getTransactionStatus() === 'I';
    const callback = query.at(-1);
    if (typeof callback === 'function') {
      const answered = (error: unknown, ...result: unknown[]) =>
        isToRepeat(error) ? this.#send(query, attempt + 1) : callback(error, ...result);
      return Reflect.apply(super.query, this, [...query.slice(0, -1), answered]);
    }
    const result: unknown = Reflect.apply(super.query, this, query);
    if (!(result instanceof Promise)) return result;
    return result.catch((error: unknown) => {
      if (!isToRepeat(error)) throw error;
      return this.#send(query, attempt + 1);
    });
  }
}

/** Names a statement that is given as text. What is given as an object is Prisma's, or is not to be prepared. */
function prepared(statement: unknown): unknown {
  if (typeof statement === 'string') return { text: statement, name: nameOf({ sql: statement }) };
  const { text } = statement as pg.QueryConfig;
  return text === prismaBegin ? Object.assign({}, statement, { text: begin }) : statement;
}

/** A pool that cannot even make a client would end the process, so what is known to be in the way is the error of a socket. */
function opened({ connectionString: url, options }: ConnectionConfig): {
  connectionString: string | undefined;
  socket: Socket;
} {
  const broken = (error: Error) => ({ connectionString: undefined, socket: new BrokenSocket(error) });
  const failure = failures.get(url);
  if (failure && performance.now() < failure.at + restMs) return broken(failure.error);
  try {
    return { connectionString: withSession(currentUrl(url), options), socket: new Socket() };
  } catch (error) {
    return broken(Object.assign(error as Error, { code: misconfiguredCode }));
  }
}

class BrokenSocket extends Socket {
  readonly #reason: Error;

  /** An error of its own, because what throws it may add to its stack. */
  constructor({ message, code }: NodeJS.ErrnoException) {
    super();
    this.#reason = Object.assign(new Error(message), { code });
  }

  override connect(): this {
    return this.destroy(this.#reason);
  }
}

/** Codes of Node for a certificate that no known authority has signed. */
const isUnknownAuthority = /^(SELF_SIGNED_CERT|DEPTH_ZERO_SELF_SIGNED_CERT|UNABLE_TO_(GET_ISSUER_CERT|VERIFY_LEAF))/;

/** Why a database cannot be used, with its address and without a secret. */
export function describeFailure(url: string, error: unknown): string {
  const { message, code = '' } = error as { message?: string; code?: string };
  if (code === misconfiguredCode) return message ?? code;
  const reason = message || code;
  const plain = isUnknownAuthority.test(code)
    ? `its certificate is not signed by the CA that is trusted here (${reason})`
    : reason;
  return `PostgreSQL at ${new URL(currentUrl(url)).host}: ${plain}`;
}
