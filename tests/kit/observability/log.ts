import { createLog, type Logger } from '@store/shared/observability/log';

/**
 * The log of a service under test. It prints only unexpected errors (500), because the response does not describe them.
 * @param expects errors that the test provokes; they are not printed
 */
export function testLog(service: string, expects?: RegExp): Logger {
  return createLog(service, 'error', { write: (line) => printUnexpected(line, expects) });
}

/** Prints the error of a log line if it led to a 500, not if it led to a 503 for an unavailable dependency. */
export function printUnexpected(line: string, expects?: RegExp): void {
  const { service, msg, method, path, err } = JSON.parse(line);
  if (msg !== 'Request failed unexpectedly' || expects?.test(err.message)) return;
  process.stderr.write(`${service}: ${method} ${path} failed unexpectedly: ${err.stack}\n`);
}
