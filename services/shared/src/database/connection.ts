import { readFileSync } from 'node:fs';
import { Socket } from 'node:net';
import { fileURLToPath } from 'node:url';
import pg from 'pg';
import { databaseUrl } from './config.ts';
import { maxAttempts } from './conflicts.ts';
import { isConflict, misconfiguredCode } from './errors.ts';

/** `role:password`, without characters that a URL would have to escape. */
const isLogin = /^[\w.~-]+:[\w.~-]+$/;

/**
 * Returns the current URL for DATABASE_URL. A file is read each time, because the file of a Secret changes while a process
 * runs. Parameters after its path, such as `?sslrootcert=/path`, are added to the URL in the file. With `?at=host:port/database`
 * the file holds only `role:password`.
 * @throws Error if the content of the file is invalid; the message does not quote it
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
 * Settings of every session, whatever the defaults of its database and role. Prisma's adapter needs the time zone: it writes times
 * without a zone, and reads them as UTC (prisma/orm#28629). PgBouncer passes the first two settings on, even from
 * ignored `options`, in the spelling that PostgreSQL reports; for the last see {@link PreparingClient}.
 */
const session = '-c TimeZone=UTC -c DateStyle=ISO,\\ MDY -c default_transaction_isolation=read\\ committed';

/**
 * Services look rows up by keys, and those in use are in memory. With the default of 4, statements that were planned while a table was
 * small read all of it, on each connection until PostgreSQL counts its rows again. Options of the URL take precedence.
 */
const planning = '-c random_page_cost=1.1';

/**
 * Adds {@link planning} and {@link session} to the options of a URL and of a client; the URL's parameter alone would replace the client's
 * options.
 */
function withSession(url: string, options = ''): string {
  const all = new URL(url);
  // If a setting is repeated, the last value counts.
  all.searchParams.set('options', `${planning} ${all.searchParams.get('options') ?? ''} ${options} ${session}`);
  return all.href;
}

interface ConnectionConfig extends pg.ClientConfig {
  connectionString: string;
}

/** Makes a client that logs in with {@link currentUrl}. A bad file makes `connect` fail, not the constructor. */
export const createClient = (config: ConnectionConfig): pg.Client => new CurrentClient(config);

/** Makes a pool whose connections log in with {@link currentUrl}. Statements given as text, not as an object, stay prepared. */
export function createPool(config: ConnectionConfig & pg.PoolConfig): pg.Pool {
  const pool = new pg.Pool({ ...config, Client: PreparingClient });
  // The pool replaces an idle connection that breaks; a query on a broken connection reports the error itself.
  pool.on('error', () => undefined);
  return pool;
}

/**
 * Prisma's adapter begins a transaction without an isolation level, or sets it in another round trip. The level must be named,
 * because a session behind a pooler has the default of its role.
 */
const prismaBegin = 'BEGIN';
const begin = 'begin isolation level read committed';

/** The maximum of prepared statements: each sort order is a separate statement, and occupies memory until the connection ends. */
const maxPrepared = 100;
const names = new Map<string, string>();

/** Names a statement, so that it stays prepared: parsing and planning are much of the cost of a short statement. */
export function nameOf({ sql }: { sql: string }): string {
  if (!names.has(sql) && names.size < maxPrepared) names.set(sql, `s${names.size}`);
  return names.get(sql) ?? '';
}

/**
 * Closes the connection if PostgreSQL is silent for longer than its statement time-out. After pg's own time-out, `query_timeout`,
 * pg would return such a connection to the pool, and one request after another would wait on it.
 */
class CurrentClient extends pg.Client {
  readonly #url: string;
  readonly #isTried: boolean;

  /** @param config optional only because pg's types demand it */
  constructor(config: ConnectionConfig = { connectionString: '' }) {
    const { connectionString, socket } = opened(config);
    super({ ...config, connectionString, stream: () => socket });
    // Also from the moment on at which it is open, when nobody else listens yet.
    this.on('error', () => undefined);
    this.#url = config.connectionString;
    this.#isTried = !(socket instanceof BrokenSocket);
    const silentAfterMs = config.statement_timeout ? config.statement_timeout + 1_000 : 0;
    socket.setTimeout(silentAfterMs);
    socket.on('timeout', () => {
      // Node.js does not restart a timer that has expired.
      if ('readyForQuery' in this && this.readyForQuery) socket.setTimeout(silentAfterMs);
      else socket.destroy();
    });
  }

  /** Typed to fit all of pg's overloads. */
  override connect(callback?: (error: never, client: never) => void): never {
    const connected = super.connect().catch((error: Error) => {
      if (this.#isTried) failures.set(this.#url, { at: performance.now(), error });
      throw error;
    });
    if (callback) connected.then(() => callback(null as never, this as never), callback as () => void);
    return connected as never;
  }
}

/** Pause after a connection could not be opened: opening is the most expensive part of a request, and burdens a recovering database. */
const restMs = 200;
const failures = new Map<string, { at: number; error: Error }>();

/**
 * Repeats a statement outside a transaction if PostgreSQL rolled it back because of another transaction. Behind a pooler a session
 * may have the isolation level of its role, at which a statement can fail after waiting for a row.
 */
class PreparingClient extends CurrentClient {
  /** Typed to fit all of pg's overloads. */
  override query(sql: unknown, ...values: unknown[]): never {
    return this.#send([prepared(sql), ...values], 1) as never;
  }

  #send(query: unknown[], attempt: number): unknown {
    // The status from before this statement, because ReadyForQuery arrives after the error.
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

/** Names a statement that is given as text. An object comes from Prisma, or must not be prepared. */
function prepared(statement: unknown): unknown {
  if (typeof statement === 'string') return { text: statement, name: nameOf({ sql: statement }) };
  const { text } = statement as pg.QueryConfig;
  return text === prismaBegin ? Object.assign({}, statement, { text: begin }) : statement;
}

/** If pg-pool's constructor call throws, the process ends. So a known problem is returned as a socket that fails to connect. */
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

  /** A new error each time, because the code that throws it may add to its stack. */
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

/** Says why a database cannot be used, with its address but without secrets. */
export function describeFailure(url: string, error: unknown): string {
  const { message, code = '' } = error as { message?: string; code?: string };
  if (code === misconfiguredCode) return message ?? code;
  const reason = message || code;
  const plain = isUnknownAuthority.test(code)
    ? `its certificate is not signed by the CA that is trusted here (${reason})`
    : reason;
  return `PostgreSQL at ${new URL(currentUrl(url)).host}: ${plain}`;
}
