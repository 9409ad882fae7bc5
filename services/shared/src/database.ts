import { PrismaPg } from '@prisma/adapter-pg';

/**
 * The connection pool of a service. Nothing waits for ever: 2 s for a connection, 10 s for a statement.
 * @param url postgresql://role:password@host:port/database
 */
export function createAdapter(url: string, poolSize = 10): PrismaPg {
  return new PrismaPg(
    {
      connectionString: url,
      max: poolSize,
      connectionTimeoutMillis: 2_000,
      statement_timeout: 10_000,
      query_timeout: 12_000,
      idle_in_transaction_session_timeout: 20_000,
      keepAlive: true,
    },
    // An idle connection that breaks is replaced by the pool; the queries that meet a broken one say so themselves.
    { onPoolError: () => undefined, onConnectionError: () => undefined },
  );
}

/** Prisma's codes, its adapters' kinds, PostgreSQL's and the sockets' codes for "cannot be reached now". */
const awayCodes = new Set([
  ...['P1001', 'P1002', 'P1008', 'P1017', 'P2024', 'P2028'],
  ...['DatabaseNotReachable', 'ConnectionClosed', 'SocketTimeout', 'TooManyConnections'],
  ...['57P01', '57P02', '57P03', '53300', '08000', '08001', '08003', '08006', '25P03', '57014'],
  ...['ECONNREFUSED', 'ECONNRESET', 'EPIPE', 'ETIMEDOUT', 'ENOTFOUND', 'EAI_AGAIN', 'EHOSTUNREACH', 'ENETUNREACH'],
]);
const awayMessage =
  /timeout exceeded when trying to connect|Connection terminated|Query read timeout|Client has encountered a connection error/;

/** Whether a failure means that the database is away or overloaded, and not that the request was wrong. */
export function isDatabaseAway(error: unknown, depth = 0): boolean {
  if (typeof error !== 'object' || error === null || depth > 5) return false;
  const { code, kind, originalCode, message, cause, meta } = error as Record<string, unknown>;
  if ([code, kind, originalCode].some((name) => typeof name === 'string' && awayCodes.has(name))) return true;
  if (typeof message === 'string' && awayMessage.test(message)) return true;
  const driver = (meta as { driverAdapterError?: unknown } | undefined)?.driverAdapterError;
  const errors = (error as { errors?: unknown[] }).errors ?? [];
  return [cause, driver, ...(Array.isArray(errors) ? errors : [])].some((inner) => isDatabaseAway(inner, depth + 1));
}
