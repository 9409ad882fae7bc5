import { createLog, type Logger } from '@store/shared/observability/log';

/**
 * The log of a service under test: silent, but for unexpected errors (500), of which the answer says nothing.
 * @param expects the errors that the test provokes: these are not printed
 */
export function testLog(service: string, expects?: RegExp): Logger {
  return createLog(service, 'error', { write: (line) => printUnexpected(line, expects) });
}

/** Prints the error of a log line, if it is that of a 500; a 503 of an unavailable dependency is not. */
export function printUnexpected(line: string, expects?: RegExp): void {
  const { service, msg, method, path, err } = JSON.parse(line);
  if (msg !== 'Request failed unexpectedly' || expects?.test(err.message)) return;
  process.stderr.write(`${service}: ${method} ${path} failed unexpectedly: ${err.stack}\n`);
}
