/** Prisma's codes, its adapters' kinds, PostgreSQL's and the sockets' codes for "cannot be reached now". */
const unavailableCodes = new Set([
  ...['P1001', 'P1002', 'P1008', 'P1017', 'P2024', 'P2028'],
  ...['DatabaseNotReachable', 'ConnectionClosed', 'SocketTimeout', 'TooManyConnections'],
  ...['57P01', '57P02', '57P03', '53300', '08000', '08001', '08003', '08006', '25P03', '57014'],
  ...['ECONNREFUSED', 'ECONNRESET', 'EPIPE', 'ETIMEDOUT', 'ENOTFOUND', 'EAI_AGAIN', 'EHOSTUNREACH', 'ENETUNREACH'],
]);
const unavailableMessage =
  /timeout exceeded when trying to connect|timeout expired|Connection terminated|Query read timeout|Client has encountered a connection error/;

/** A database that answers, but can serve nobody now: it refuses the role or TLS, is being replaced, read-only or full. */
const misconfiguredCodes = new Set([
  ...['P1000', 'P1003', 'P1010', 'AuthenticationFailed', 'DatabaseAccessDenied', 'DatabaseDoesNotExist'],
  ...['28000', '28P01', '3D000', '42501', '25006', '53100', '53200', '58000', '58030', '55000'],
]);
/** Node's and OpenSSL's codes, as CERT_HAS_EXPIRED. */
const tlsCode = /^(CERT_|ERR_TLS_|ERR_SSL_|UNABLE_TO_|SELF_SIGNED_CERT|DEPTH_ZERO_SELF_SIGNED_CERT)/;
/** The driver's own, without a code. */
const misconfiguredMessage = /SSL connection|^SASL: /;

/** Whether a failure means that the database is away or overloaded, and not that the request was wrong. */
export const isDatabaseUnavailable = (error: unknown) =>
  hasReason(
    error,
    (names, message) => names.some((name) => unavailableCodes.has(name)) || unavailableMessage.test(message),
  );

/** Whether any other request would fail as well, until somebody has set the database right. */
export const isDatabaseMisconfigured = (error: unknown) =>
  hasReason(
    error,
    (names, message) =>
      names.some((name) => misconfiguredCodes.has(name) || tlsCode.test(name)) || misconfiguredMessage.test(message),
  );

/** Looks for a reason in an error and in what it was caused by. */
function hasReason(error: unknown, isIt: (names: string[], message: string) => boolean, depth = 0): boolean {
  if (typeof error !== 'object' || error === null || depth > 5) return false;
  const { code, kind, originalCode, message, cause, meta } = error as Record<string, unknown>;
  const names = [code, kind, originalCode].filter((name) => typeof name === 'string');
  if (isIt(names, typeof message === 'string' ? message : '')) return true;
  const driver = (meta as { driverAdapterError?: unknown } | undefined)?.driverAdapterError;
  const errors = (error as { errors?: unknown[] }).errors ?? [];
  return [cause, driver, ...(Array.isArray(errors) ? errors : [])].some((inner) => hasReason(inner, isIt, depth + 1));
}
