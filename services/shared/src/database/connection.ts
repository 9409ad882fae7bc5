import { readFileSync } from 'node:fs';
import { Socket } from 'node:net';
import { fileURLToPath } from 'node:url';
import pg from 'pg';
import { databaseUrl } from './config.ts';
import { misconfiguredCode } from './errors.ts';

/**
 * Returns what DATABASE_URL stands for now. A file is read each time, because that of a Secret changes while a process
 * runs; what stands behind its path, such as `?sslrootcert=/path`, is added to the URL in it.
 * @param url `postgresql://…`, or `file:///path` of a file that holds such a URL
 * @throws Error where the file holds none, without its content
 */
export function currentUrl(url: string): string {
  const given = new URL(url);
  if (given.protocol !== 'file:') return url;
  const path = fileURLToPath(given);
  const held = databaseUrl.safeParse(readFileSync(path, 'utf8').trim());
  if (!held.success)
    throw new Error(`The file ${path} holds no URL like postgresql://role:password@host:port/database`);
  const current = new URL(held.data);
  for (const [name, value] of given.searchParams) current.searchParams.set(name, value);
  return current.href;
}

interface ConnectionConfig extends pg.ClientConfig {
  connectionString: string;
  /** Time without a byte, in ms, after which a connection ends on which a statement waits for its answer. */
  silentAfterMs?: number;
}

/** A client that logs in as {@link currentUrl} says. What is wrong with a file is an error of its `connect`. */
export const createClient = (config: ConnectionConfig): pg.Client => new CurrentClient(config);

/** Connections that log in as {@link currentUrl} says when each is opened. */
export const createPool = (config: ConnectionConfig & pg.PoolConfig): pg.Pool =>
  new pg.Pool({ ...config, Client: CurrentClient });

class CurrentClient extends pg.Client {
  /** @param config undefined for the types of pg alone */
  constructor(config: ConnectionConfig = { connectionString: '' }) {
    const { connectionString, socket } = opened(config.connectionString);
    super({ ...config, connectionString, stream: () => socket });
    const { silentAfterMs = 0 } = config;
    socket.setTimeout(silentAfterMs);
    socket.on('timeout', () => {
      // Node.js does not start a timer again that has expired.
      if ('readyForQuery' in this && this.readyForQuery) socket.setTimeout(silentAfterMs);
      else socket.destroy();
    });
  }
}

/** A pool that cannot even make a client would end the process, so a file without a URL is the error of a socket. */
function opened(url: string): { connectionString: string | undefined; socket: Socket } {
  try {
    return { connectionString: currentUrl(url), socket: new Socket() };
  } catch (error) {
    return { connectionString: undefined, socket: new BrokenSocket(error as Error) };
  }
}

class BrokenSocket extends Socket {
  readonly #reason: Error;

  constructor(reason: Error) {
    super();
    this.#reason = Object.assign(reason, { code: misconfiguredCode });
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
