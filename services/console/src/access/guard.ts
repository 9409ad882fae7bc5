import { sendProblem } from '@store/shared/http/problem';
import { DomainError } from '@store/shared/values/errors';
import type { Handler } from 'express';
import { authIsAway } from './auth-client.ts';
import type { Sessions } from './session.ts';

/** Path of everything that needs a session. Its cookie is limited to it, because browsers send cookies to every port of localhost. */
export const basePath = '/console';

/** Names the cookie by the port, so that the consoles of two clusters keep their sessions apart. */
export const sessionCookieOf = (host = '') => `console_session_${/:(\d+)$/.exec(host)?.[1] ?? 80}`;

/** Set only here, from the session. A header of this name from a client is removed. */
export const operatorHeader = 'console-operator';

/** Addresses from and to which a forwarded port connects. A sidecar connects from another address, such as 127.0.0.6, for anyone. */
const loopback = new Set<string | undefined>(['127.0.0.1', '::ffff:127.0.0.1', '::1']);
const localHost = /^(localhost|127\.0\.0\.1|\[::1\])(:\d+)?$/;

/** Scripts, styles and data come only from the console, and no page may frame it. */
export const pageHeaders: Handler = (_req, res, next) => {
  res.set({
    'Content-Security-Policy':
      "default-src 'none'; script-src 'self'; style-src 'self'; connect-src 'self'; img-src 'self'; base-uri 'none'; form-action 'none'; frame-ancestors 'none'",
    'X-Content-Type-Options': 'nosniff',
    'Referrer-Policy': 'no-referrer',
    'Cross-Origin-Opener-Policy': 'same-origin',
    'Cross-Origin-Resource-Policy': 'same-origin',
    'Cache-Control': 'no-store',
  });
  next();
};

/**
 * Admits connections from the machine itself (in a cluster, the pod), as forwarded ports make them. Also checks the host name, since
 * another host's page could make its name resolve to 127.0.0.1.
 */
export const localOnly: Handler = (req, res, next) => {
  const { remoteAddress, localAddress } = req.socket;
  const isLocal = loopback.has(remoteAddress) && loopback.has(localAddress);
  if (isLocal && localHost.test(req.headers.host ?? '')) return next();
  sendProblem(req, res, 403, { detail: 'The console answers only its own machine: forward a port to it.' });
};

/**
 * Admits changes only from the console's own page. SameSite alone is not enough: a page on another port of localhost is the same
 * site.
 */
export const sameOrigin: Handler = (req, res, next) => {
  const { host, origin, 'sec-fetch-site': site } = req.headers;
  const isSafe = req.method === 'GET' || req.method === 'HEAD';
  if (isSafe || (origin === `http://${host}` && (site === undefined || site === 'same-origin'))) return next();
  sendProblem(req, res, 403, { detail: "Only the console's own page may make changes." });
};

export const withoutOperator: Handler = (req, _res, next) => {
  delete req.headers[operatorHeader];
  next();
};

/** Puts the operator of the session into a header that routes read; answers 401 without a session. Runs after cookie-parser. */
export const sessionRequired =
  (sessions: Sessions): Handler =>
  async (req, res, next) => {
    try {
      const operator = await sessions.operatorOf(req.cookies[sessionCookieOf(req.headers.host)]);
      if (operator !== undefined) {
        req.headers[operatorHeader] = operator.actor;
        return next();
      }
      res.set('WWW-Authenticate', 'Cookie realm="console"');
      sendProblem(req, res, 401, { detail: 'Log in to the console.' });
    } catch (error) {
      if (!(error instanceof DomainError)) throw error;
      res.set('Retry-After', '2');
      sendProblem(req, res, 503, { detail: authIsAway(error).message });
    }
  };
