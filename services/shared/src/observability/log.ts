import { type DestinationStream, type Logger, pino } from 'pino';
import { currentTrace } from './trace-context.ts';

export type { Logger } from 'pino';

/** Fields that may hold secrets, at every level where log lines put them. */
const secrets = ['cookie', 'authorization', '["set-cookie"]', 'token', 'password', 'secret'];

/** Makes a logger of JSON lines, by default to standard output: one constant sentence, data in fields, always with the trace id. */
export function createLog(service: string, level = 'info', destination?: DestinationStream): Logger {
  return pino(
    {
      level,
      base: { service },
      timestamp: pino.stdTimeFunctions.isoTime,
      formatters: { level: (label) => ({ level: label }) },
      redact: secrets.flatMap((name) => {
        const child = name.startsWith('[') ? name : `.${name}`;
        return [name, `*${child}`, `*.headers${child}`];
      }),
      mixin: () => ({ traceId: currentTrace()?.traceId }),
    },
    destination,
  );
}
