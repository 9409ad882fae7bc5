import { type DestinationStream, type Logger, type LoggerOptions, pino } from 'pino';
import { currentTrace } from './trace-context.ts';

export type { Logger } from 'pino';

/** Everything that may carry a secret, wherever a log line puts it. */
const secrets = ['cookie', 'authorization', '["set-cookie"]', 'token', 'password', 'secret'];

/**
 * Logs JSON lines to standard output: one constant sentence, data in fields, the trace id always.
 * @param level trace | debug | info | warn | error | fatal | silent
 * @param destination where the lines go instead
 */
export function createLog(service: string, level = 'info', destination?: DestinationStream): Logger {
  const options: LoggerOptions = {
    level,
    base: { service },
    timestamp: pino.stdTimeFunctions.isoTime,
    formatters: { level: (label) => ({ level: label }) },
    redact: secrets.flatMap((name) => {
      const child = name.startsWith('[') ? name : `.${name}`;
      return [name, `*${child}`, `*.headers${child}`];
    }),
    mixin: () => {
      const trace = currentTrace();
      return trace === undefined ? {} : { traceId: trace.traceId };
    },
  };
  return destination === undefined ? pino(options) : pino(options, destination);
}
