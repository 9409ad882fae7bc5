/** Code of the error if DATABASE_URL names a file that holds no URL. */
export const misconfiguredCode = 'ERR_DATABASE_URL';
/** Codes of Prisma, kinds of its adapters, codes of PostgreSQL and of sockets. */
const unavailableCodes = new Set([
  ...['P1001', 'P1002', 'P1008', 'P1017', 'P2024', 'P2028'],
  ...['DatabaseNotReachable', 'ConnectionClosed', 'SocketTimeout', 'TooManyConnections'],
  ...['57P01', '57P02', '57P03', '53300', '08000', '08001', '08003', '08006', '25P03', '57014', '55P03'],
  '08P01', // PgBouncer's code for all its failures
  ...['ECONNREFUSED', 'ECONNRESET', 'EPIPE', 'ETIMEDOUT', 'ENOTFOUND', 'EAI_AGAIN', 'EHOSTUNREACH', 'ENETUNREACH'],
  // The server answers but cannot serve: the database does not exist yet, refuses the role or TLS, is read-only, full, or failing over.
  ...['P1000', 'P1003', 'P1010', 'AuthenticationFailed', 'DatabaseAccessDenied', 'DatabaseDoesNotExist'],
  ...[misconfiguredCode, '28000', '28P01', '3D000', '42501', '25006', '53100', '53200', '58000', '58030', '55000'],
]);
/** Codes of Node and OpenSSL, such as CERT_HAS_EXPIRED. */
const tlsCode = /^(CERT_|ERR_TLS_|ERR_SSL_|UNABLE_TO_|SELF_SIGNED_CERT|DEPTH_ZERO_SELF_SIGNED_CERT)/;
/** Errors of the driver that have no code. */
const unavailableMessage =
  /timeout exceeded when trying to connect|timeout expired|Connection terminated|Query read timeout|Client has encountered a connection error|SSL connection|^SASL: /;

/** PostgreSQL's codes for a serialization failure and a deadlock, then the adapter's and Prisma's codes for both. */
const conflictCodes = new Set(['40001', '40P01', 'TransactionWriteConflict', 'P2034']);

/** Tells whether a transaction was rolled back because of another, and may succeed if it is repeated. */
export const isConflict = (error: unknown) =>
  hasReason(error, (names) => names.some((name) => conflictCodes.has(name)));

/**
 * Tells whether the failure is not the fault of the request or event: the database is unavailable or misconfigured, or other
 * transactions are in the way.
 */
export const isDatabaseUnavailable = (error: unknown) =>
  hasReason(
    error,
    (names, message) =>
      names.some((name) => unavailableCodes.has(name) || conflictCodes.has(name) || tlsCode.test(name)) ||
      unavailableMessage.test(message),
  );

/** Tells whether a row was refused because its key already exists. */
export const isDuplicate = (error: unknown) => hasReason(error, (names) => names.includes('23505'));

/** Tells whether a row was refused by this CHECK. */
export const isRefusedBy = (constraint: string, error: unknown) =>
  hasReason(error, (names, message) => names.includes('23514') && message.includes(`"${constraint}"`));

/** Searches an error and its causes. */
function hasReason(error: unknown, isIt: (names: string[], message: string) => boolean, depth = 0): boolean {
  if (typeof error !== 'object' || error === null || depth > 5) return false;
  const { code, kind, originalCode, message, cause, meta } = error as Record<string, unknown>;
  const names = [code, kind, originalCode].filter((name) => typeof name === 'string');
  if (isIt(names, typeof message === 'string' ? message : '')) return true;
  const driver = (meta as { driverAdapterError?: unknown } | undefined)?.driverAdapterError;
  const errors = (error as { errors?: unknown[] }).errors ?? [];
  return [cause, driver, ...(Array.isArray(errors) ? errors : [])].some((inner) => hasReason(inner, isIt, depth + 1));
}
