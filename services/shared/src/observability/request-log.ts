import type { Request, Response } from 'express';
import { type HttpLogger, pinoHttp } from 'pino-http';
import type { Logger } from './log.ts';
import { pathOf } from './request-context.ts';
import { currentTrace } from './trace-context.ts';

/**
 * Logs each request when it has been answered or its client has disconnected, without headers and query, which may be secret. A 5xx
 * answer is logged as an error, unless its cause has been logged and is in `res.err` (problem.ts).
 */
export function createRequestLog(log: Logger): HttpLogger<Request, Response> {
  return pinoHttp<Request, Response>({
    logger: log,
    // These lines contain no secrets, and redaction costs five times as much as the line.
    redact: [],
    wrapSerializers: false,
    serializers: {
      req: (req: Request) => ({ method: req.method, path: pathOf(req) }),
      res: (res: Response) => ({ status: res.statusCode }),
    },
    customAttributeKeys: { responseTime: 'durationMs' },
    genReqId: () => currentTrace()?.traceId ?? '',
    customLogLevel: (_req, res) => (res.statusCode >= 500 && res.err === undefined ? 'error' : 'info'),
    customSuccessObject: (req, _res, fields) => ({ traceId: req.id, ...fields }),
    customSuccessMessage: () => 'Request handled',
    customErrorObject: (req, _res, _error, { err: _, ...fields }) => ({ traceId: req.id, ...fields }),
    customErrorMessage: () => 'Request failed',
  });
}
