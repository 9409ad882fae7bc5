import type { IncomingMessage, RequestListener, ServerResponse } from 'node:http';
import type { Logger } from '@store/shared/observability/log';
import { runInTrace, traceFrom } from '@store/shared/observability/trace-context';
import { Counter } from 'prom-client';
import type { ApiKeyUses } from '../keys/api-key-uses.ts';
import type { Roles } from '../roles/roles.ts';
import type { Follower } from '../sessions/follower.ts';
import { tokensInCookies } from './token-cookie.ts';
import type { Tokens } from './tokens.ts';

const checks = new Counter({
  name: 'auth_checks_total',
  help: 'Token checks for the gateway, by result: accepted, refused, failed.',
  labelNames: ['result'],
});

const staleChecks = new Counter({
  name: 'auth_stale_checks_total',
  help: 'Tokens accepted while auth may have missed that their sessions ended.',
});

const missing = unauthorized('The token cookie is missing or empty. Log in first.');
const invalid = unauthorized('Invalid token');

interface Dependencies {
  tokens: Pick<Tokens, 'resolve' | 'forServices'>;
  roles: Pick<Roles, 'of'>;
  uses: Pick<ApiKeyUses, 'note'>;
  endedSessions: Pick<Follower, 'isLoaded' | 'isCurrent'>;
  log: Logger;
}

/**
 * The token check of a secured request (contract 3.1). Answers 200 with `id-account`, `authorization` and, if there are any,
 * `account-roles` and `account-scopes`, or 401. It is not logged, because the service logs the request itself.
 */
export function createCheck({ tokens, roles, uses, endedSessions, log }: Dependencies): RequestListener {
  async function check(req: IncomingMessage, res: ServerResponse, token: string): Promise<void> {
    const session = await tokens.resolve(token);
    // Refuse API keys behind a gateway that drops their scopes, such as a gateway of the previous release: services would see a session.
    if (session === undefined || (session.scopes && req.headers['gateway-passes-on'] !== 'account-scopes'))
      return refuse(res, invalid);
    const { id, accountId, scopes } = session;
    if (scopes) uses.note(id);
    const owned = roles.of(accountId);
    // A service never gets the API key itself, because it lives long.
    const passedOn = scopes || owned.length > 0 ? await tokens.forServices(session, owned) : token;
    checks.inc({ result: 'accepted' });
    if (!endedSessions.isCurrent()) staleChecks.inc();
    res.writeHead(200, {
      'id-account': accountId,
      authorization: `Bearer ${passedOn}`,
      'content-length': '0',
      ...(owned.length > 0 && { 'account-roles': owned.join() }),
      ...(scopes && { 'account-scopes': scopes.join() }),
    });
    res.end();
  }

  return (req, res) => {
    if (!endedSessions.isLoaded()) return unavailable(res);
    const [token, ...others] = tokensInCookies(req.headers.cookie);
    if (others.length > 0) return refuse(res, invalid);
    if (token === undefined || token === '') return refuse(res, missing);
    check(req, res, token).catch((error) => fail(req, res, error, log));
  };
}

function refuse(res: ServerResponse, body: string): void {
  checks.inc({ result: 'refused' });
  res.writeHead(401, { 'content-type': 'application/problem+json', 'content-length': Buffer.byteLength(body) });
  res.end(body);
}

/** Lets no request through before auth has loaded the ended sessions. */
function unavailable(res: ServerResponse): void {
  checks.inc({ result: 'failed' });
  res.writeHead(503, { 'content-length': '0' }).end();
}

/** The gateway turns a 500 into a 503, so the request is refused but the customer is not told to log in again. */
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
