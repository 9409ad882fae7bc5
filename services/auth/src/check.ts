import type { IncomingMessage, RequestListener, ServerResponse } from 'node:http';
import type { Logger } from '@store/shared/observability/log';
import { runInTrace, traceFrom } from '@store/shared/observability/trace-context';
import { Counter } from 'prom-client';
import { tokensInCookies } from './token-cookie.ts';
import type { Tokens } from './tokens.ts';

const checks = new Counter({
  name: 'auth_checks_total',
  help: 'Token checks for the gateway, by result: accepted, refused, failed.',
  labelNames: ['result'],
});

const missing = unauthorized('The token cookie is missing or empty. Log in first.');
const invalid = unauthorized('Invalid token');

/**
 * The token check of a secured request (contract 3.1): 200 with `id-account` and `authorization`, or 401. Not logged:
 * the request itself will be.
 */
export function createCheck({ tokens, log }: { tokens: Tokens; log: Logger }): RequestListener {
  return (req, res) => {
    const [token, ...others] = tokensInCookies(req.headers.cookie);
    if (others.length > 0) return refuse(res, invalid);
    if (token === undefined || token === '') return refuse(res, missing);
    const accountId = tokens.remembered(token);
    if (accountId !== undefined) return accept(res, token, accountId);
    tokens.resolve(token).then(
      (found) => (found === undefined ? refuse(res, invalid) : accept(res, token, found)),
      (error) => fail(req, res, error, log),
    );
  };
}

function accept(res: ServerResponse, token: string, accountId: string): void {
  checks.inc({ result: 'accepted' });
  res.writeHead(200, { 'id-account': accountId, authorization: `Bearer ${token}`, 'content-length': '0' });
  res.end();
}

function refuse(res: ServerResponse, body: string): void {
  checks.inc({ result: 'refused' });
  res.writeHead(401, { 'content-type': 'application/problem+json', 'content-length': Buffer.byteLength(body) });
  res.end(body);
}

/** The gateway turns a 500 into a 503: nobody gets through, nor is told to log in again. */
function fail(req: IncomingMessage, res: ServerResponse, error: unknown, log: Logger): void {
  checks.inc({ result: 'failed' });
  const requestId = req.headers['x-request-id'];
  const trace = traceFrom(req.headers.traceparent?.toString(), requestId?.toString());
  runInTrace(trace, () => log.error({ err: error }, 'Token check failed unexpectedly'));
  res.writeHead(500, { 'content-length': '0' }).end();
}

function unauthorized(detail: string): string {
  return JSON.stringify({ type: 'about:blank', title: 'Unauthorized', status: 401, detail });
}
