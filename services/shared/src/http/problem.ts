import { STATUS_CODES } from 'node:http';
import type { ErrorRequestHandler, Request, Response } from 'express';
import { z } from 'zod';
import { isDatabaseUnavailable } from '../database/errors.ts';
import type { Logger } from '../observability/log.ts';
import { contextOf, pathOf } from '../observability/request-context.ts';
import { currentTrace } from '../observability/trace-context.ts';
import { DomainError, type ErrorKind, unavailable } from '../values/errors.ts';
import { stringifyJson } from '../values/json.ts';
import { moneySchema, pricedItem } from '../values/money.ts';
import { problemType, problemTypes } from '../values/problem-types.ts';

const statusOf: Record<ErrorKind, number> = {
  invalid: 400,
  unauthenticated: 401,
  forbidden: 403,
  notFound: 404,
  conflict: 409,
  preconditionFailed: 412,
  tooLarge: 413,
  unsupportedMedia: 415,
  ruleBroken: 422,
  rateLimited: 429,
  unavailable: 503,
};

/** After draft-broyer-http-cookie-auth; the gateway's own 401 has the same challenge (contract 7.3). */
const cookieChallenge = 'Cookie realm="store", cookie-name="__store_jwt_token"';

const types = Object.entries(problemTypes).map(([code, meaning]) => `- \`${code}\`, ${meaning}`);

/** contract 7.1 */
export const problemSchema = z
  .object({
    type: z
      .string()
      .describe(
        `\`about:blank\` if the status says it all, else \`urn:problem:store:\` and a code:\n\n${types.join('\n')}`,
      ),
    title: z.string(),
    status: z.int(),
    detail: z.string().optional(),
    instance: z.string().optional(),
    errors: z.array(z.object({ path: z.string(), message: z.string() })).optional(),
    traceId: z.string().optional(),
    total: moneySchema.optional(),
    items: z.array(pricedItem).optional(),
  })
  .meta({
    id: 'Problem',
    examples: [{ type: 'about:blank', title: 'Not Found', status: 404, detail: 'No such order.' }],
  });

type Problem = z.input<typeof problemSchema>;

/** `instance` omits the query, which may be private. Not sent by Express, which would add a charset that the type does not have (RFC 9457). */
export function sendProblem(req: Request, res: Response, status: number, rest: Partial<Problem>): void {
  const problem: Problem = {
    type: 'about:blank',
    title: STATUS_CODES[status] ?? 'Error',
    status,
    instance: req.originalUrl.split('?', 1)[0] ?? '/',
    ...rest,
  };
  const json = stringifyJson(problem);
  res
    .writeHead(status, { 'Content-Type': 'application/problem+json', 'Content-Length': Buffer.byteLength(json) })
    .end(json);
}

/** The last middleware: answers every failure. An unexpected failure is a 500 with a trace id; the log has the rest. */
export function problemHandler(log: Logger): ErrorRequestHandler {
  return (error: unknown, req, res, _next) => {
    if (res.headersSent) {
      // Otherwise a client without a Content-Length would take the part for the whole answer.
      if (!res.destroyed) log.warn({ err: error, path: pathOf(req) }, 'An answer was cut off');
      return void res.destroy();
    }
    const known = asDomainError(error);
    const undeclared = known !== undefined && contextOf(res).declared?.has(statusOf[known.kind]) === false;
    if (known === undefined || undeclared) {
      if (undeclared) error = new Error('The route does not declare this failure', { cause: known });
      log.error({ err: error, method: req.method, path: pathOf(req) }, 'Request failed unexpectedly');
      res.err = error instanceof Error ? error : new Error(String(error));
      return sendProblem(req, res, 500, {
        detail: 'Something went wrong on our side. Please mention the trace id when you report it.',
        traceId: currentTrace()?.traceId,
      });
    }
    if (known.kind === 'unavailable') log.warn({ err: known, path: pathOf(req) }, 'A dependency is unavailable');
    if (known.retryAfterSeconds !== undefined) {
      res.set('Retry-After', String(known.retryAfterSeconds));
      // draft-ietf-httpapi-ratelimit-headers
      if (known.kind === 'rateLimited') res.set('RateLimit', `"${known.code}";r=0;t=${known.retryAfterSeconds}`);
    }
    const challenge = known.challenge ?? (known.kind === 'unauthenticated' ? cookieChallenge : undefined);
    if (challenge !== undefined) res.set('WWW-Authenticate', challenge);
    sendProblem(req, res, statusOf[known.kind], {
      ...(known.code === undefined ? {} : { type: problemType(known.code) }),
      detail: known.message,
      ...(known.errors === undefined ? {} : { errors: known.errors }),
      ...known.priced,
    });
  };
}

function asDomainError(error: unknown): DomainError | undefined {
  if (error instanceof DomainError) return error;
  if (isDatabaseUnavailable(error)) return unavailable('The database', error, { code: 'database-away' });
  if (!(error instanceof Error)) return undefined;
  // Failures of Express and its body parser, which set `type` or `status`.
  const { type, status, limit } = error as Error & { type?: string; status?: number; limit?: number };
  const options = { cause: error };
  if (status === 413)
    return new DomainError('tooLarge', `The body is larger than ${(limit ?? 0) / 1024} KiB.`, options);
  if (status === 415) return new DomainError('unsupportedMedia', 'Send the body uncompressed and in UTF-8.', options);
  if (status === 400 || error instanceof URIError) {
    const detail = type === 'request.aborted' ? 'The request was aborted.' : 'The request cannot be decoded.';
    return new DomainError('invalid', detail, options);
  }
  return undefined;
}
