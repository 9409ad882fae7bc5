import type { Request, Response } from 'express';
import type { Logger } from './log.ts';
import { pathOf } from './path-of.ts';
import { currentTrace } from './trace-context.ts';

/**
 * Logs each request once it is answered or its client has gone, without headers and query, which may be secret. A package
 * such as pino-http makes a logger for every request, a twentieth of what placing an order takes of its service.
 */
export function createRequestLog(log: Logger): (req: Request, res: Response) => void {
  // Nothing of what is logged is secret, and redaction is expensive.
  const plain = log.child({}, { redact: [] });
  return (req, res) => {
    const traceId = currentTrace()?.traceId;
    const start = performance.now();
    res.on('close', () => {
      const fields = {
        traceId,
        req: { method: req.method, path: pathOf(req) },
        res: { status: res.statusCode },
        durationMs: Math.round(performance.now() - start),
      };
      // The problem handler has already logged the error itself.
      if (res.statusCode >= 500) plain.error(fields, 'Request failed');
      else plain.info(fields, 'Request handled');
    });
  };
}
