import { pipeline } from 'node:stream/promises';
import express, { type Express, type Handler, type Request, type Response } from 'express';
import { type BearerValidator, bearerFrom } from '../auth/bearer.ts';
import type { BearerConfig } from '../auth/config.ts';
import { type CallerCheck, callersWith } from '../auth/internal-credentials.ts';
import type { Logger } from '../observability/log.ts';
import { observeRequest } from '../observability/metrics.ts';
import { contextOf, pathOf } from '../observability/request-context.ts';
import { createRequestLog } from '../observability/request-log.ts';
import { runInTrace, type Span, startSpan, traceFrom } from '../observability/trace-context.ts';
import { stringifyJson } from '../values/json.ts';
import { collectBody } from './body.ts';
import { readCookies } from './cookies.ts';
import { accountIdOf, lacksRole, namesIn, requireScope } from './identity.ts';
import { createInFlight, type InFlight } from './in-flight.ts';
import { inputOf } from './input.ts';
import { openApiPages } from './openapi.ts';
import { matchesTag, matchesWeakly } from './precondition.ts';
import { problemHandler, sendProblem } from './problem.ts';
import { createReplyCheck } from './reply-check.ts';
import { type AnyRoute, allResponses, bodyKibOf, type IdentityRule, type JsonText, noStore } from './route.ts';

interface HttpAppOptions {
  title: string;
  routes: AnyRoute[];
  log: Logger;
  config: HttpConfig;
  /** Checks `Authorization` on routes with an identity (contract 3.6). Default: from the configuration. */
  bearer?: BearerValidator;
}

/** Operators and the mailer use the callers' credentials if they have none of their own (contract 3.7). */
interface HttpConfig extends Partial<BearerConfig> {
  /** In `prod` the documentation is off and replies are not checked (reply-check.ts). */
  APP_PROFILE: 'dev' | 'prod';
  INTERNAL_CREDENTIALS?: string[] | undefined;
  OPERATOR_CREDENTIALS?: string[] | undefined;
  MAILER_CREDENTIALS?: string[] | undefined;
}

/** The Express application of a service: traces, logs, documentation, routes, problems. Opens nothing. */
export function createHttpApp({ title, routes, log, config, bearer = bearerFrom(config) }: HttpAppOptions): Express {
  const production = config.APP_PROFILE === 'prod';
  const app = express();
  app.disable('x-powered-by');
  app.disable('etag');
  // As strict as the gateway, so that both read a path the same way.
  app.enable('strict routing');
  app.enable('case sensitive routing');

  const logRequest = createRequestLog(log);
  app.use((req, res, next) => {
    const parent = req.get('traceparent');
    const span = startSpan({ name: req.method, kind: 'server', parent });
    if (span !== undefined) res.on('close', () => endSpan(span, req, res));
    observeRequest(req, res);
    runInTrace(span ?? traceFrom(parent, req.get('x-request-id')), () => {
      logRequest(req, res);
      next();
    });
  });
  const inFlight = createInFlight();
  app.use(inFlight.admit);
  const caller = callersWith(config.INTERNAL_CREDENTIALS);
  const checks = {
    none: callersWith(undefined),
    caller,
    accountOrCaller: caller,
    operator: callersWith(config.OPERATOR_CREDENTIALS ?? config.INTERNAL_CREDENTIALS),
    mailer: callersWith(config.MAILER_CREDENTIALS ?? config.INTERNAL_CREDENTIALS),
  };
  for (const [path, own] of Map.groupBy(routes, (route) => route.path)) {
    mountPath(app, path, own, { production, bearer, checks, inFlight });
  }
  // After the routes, which are requested more often.
  if (!production) app.use(openApiPages(title, routes));
  app.use((req, res) => sendProblem(req, res, 404, { detail: 'There is nothing at this path.' }));
  app.use(problemHandler(log));
  return app;
}

interface MountOptions {
  production: boolean;
  bearer: BearerValidator;
  /** By the identity that a route demands, other than `account`. */
  checks: Record<Exclude<IdentityRule, 'account'>, CallerCheck>;
  inFlight: InFlight;
}

function mountPath(app: Express, path: string, routes: AnyRoute[], options: MountOptions): void {
  const target = app.route(path.replaceAll(/\{(\w+)\}/g, ':$1'));
  for (const route of routes) target[route.method](...handlersOf(route, options));
  const methods = routes.map((route) => route.method.toUpperCase());
  const allow = [...methods, ...(methods.includes('GET') ? ['HEAD'] : [])].join(', ');
  target.all((req, res) => {
    res.set('Allow', allow);
    sendProblem(req, res, 405, { detail: `This path accepts ${allow}.` });
  });
}

function handlersOf(route: AnyRoute, { production, bearer, checks, inFlight }: MountOptions): Handler[] {
  const declared = new Set(Object.keys(allResponses(route)).map(Number));
  const checkReply = production ? undefined : createReplyCheck(route);

  const identify: Handler = async (req, res, next) => {
    const context = contextOf(res);
    context.route = route.path;
    const identity: IdentityRule = route.identity;
    const accountHeader = req.headers['id-account'];
    if (identity === 'account' || (identity === 'accountOrCaller' && accountHeader !== undefined)) {
      const accountId = accountIdOf(accountHeader);
      context.accountId = accountId;
      const proven = await bearer(req.headers.authorization, accountId);
      // If the service checks tokens itself, it ignores the headers.
      context.roles = proven === undefined ? (namesIn(req.headers['account-roles']) ?? []) : proven.roles;
      context.scopes = proven === undefined ? namesIn(req.headers['account-scopes']) : proven.scopes;
      requireScope(route.scope, context.scopes);
      if (route.role !== undefined && !context.roles.includes(route.role)) throw lacksRole(route.role);
      inFlight.countTo(accountId, res);
    } else checks[identity](req.headers.authorization);
    next();
  };
  const answer: Handler = async (req, res) => {
    if (!production) contextOf(res).declared = declared;
    const ended = inFlight.working(res);
    try {
      const reply = await route.handler(inputOf(route, req, res));
      if ('stream' in reply) return startStream(req, res, reply.stream);
      const json = reply.body === undefined ? undefined : toJson(reply.body);
      if (json !== undefined && isInPieces(json)) {
        res.writeHead(reply.status, { 'Content-Type': jsonType, ...reply.headers });
        return await pipeline(json, res, { signal: AbortSignal.timeout(maxInPiecesMs) });
      }
      if (reply.headers?.['Content-Type'] === undefined) checkReply?.(reply.status, json);
      const known = route.method === 'get' && knownTag(reply.headers?.ETag, req.headers['if-none-match']);
      if (known) return void res.writeHead(304, { ...reply.headers, ETag: known }).end();
      // Express's `send` would compute these itself, and take twice as long.
      const own = json !== undefined && { 'Content-Type': jsonType, 'Content-Length': lengthOf(json) };
      res.writeHead(reply.status, { ...own, ...reply.headers });
      if (!isInTexts(json)) return void res.end(json);
      res.cork();
      for (const text of json) res.write(text);
      res.end();
    } finally {
      ended();
    }
  };
  /** Services limit the number of streams themselves, such as the order service (live/stream-limits.ts). */
  function startStream(req: Request, res: Response, stream: (res: Response) => void): void {
    contextOf(res).isStream = true;
    inFlight.leave(res);
    res.writeHead(200, { 'Content-Type': 'text/event-stream', ...noStore });
    res.flushHeaders();
    // Node.js keeps the request as long as its response: drop what is no longer needed.
    Object.assign(req, { headers: {}, rawHeaders: [], next: undefined });
    stream(res);
    if (req.method === 'HEAD') res.end();
  }
  const takesBody = route.body !== undefined || route.rawBody;
  const readBody = takesBody ? [collectBody(bodyKibOf(route))] : [];
  return [identify, ...readCookies(route.cookies), ...readBody, answer];
}

function toJson(body: unknown): JsonText['json'] {
  const json = typeof body === 'object' && body !== null && 'json' in body ? (body as JsonText).json : undefined;
  if (isInTexts(json)) return lengthOf(json) > joinedUpTo ? json : json.join('');
  return typeof json === 'string' || Buffer.isBuffer(json) || isInPieces(json) ? json : stringifyJson(body);
}

/** In bytes. Up to this size the texts are joined and sent at once; most answers are. */
const joinedUpTo = 65_536;

const isInTexts = (json: JsonText['json'] | undefined): json is readonly string[] => Array.isArray(json);

const lengthOf = (json: string | readonly string[] | Buffer): number =>
  isInTexts(json) ? json.reduce((sum, text) => sum + Buffer.byteLength(text), 0) : Buffer.byteLength(json);

const isInPieces = (json: unknown): json is AsyncIterable<string> =>
  typeof json === 'object' && json !== null && Symbol.asyncIterator in json;

/** An answer in pieces is cut off after this time if its client reads slowly. */
const maxInPiecesMs = 300_000;

const jsonType = 'application/json; charset=utf-8';

/**
 * Returns the reply's tag if the client has it (RFC 9110, 13.1.2), weak if the client's is weak: caches compare the tag of a 304
 * exactly (RFC 9111, 4.3.4). Express's `fresh` cannot be used: it obeys Cache-Control, and fetch() adds `no-cache` to If-None-Match.
 */
function knownTag(etag: string | undefined, ifNoneMatch: string | undefined): string | undefined {
  if (etag === undefined || ifNoneMatch === undefined) return undefined;
  if (matchesTag(ifNoneMatch, etag)) return etag;
  return matchesWeakly(ifNoneMatch, etag) ? `W/${etag}` : undefined;
}

function endSpan(span: Span, req: Request, res: Response): void {
  const { route, isStream } = contextOf(res);
  span.end({
    name: route === undefined ? req.method : `${req.method} ${route}`,
    attributes: {
      'http.request.method': req.method,
      'url.path': pathOf(req),
      'url.scheme': req.get('x-forwarded-proto') === 'https' ? 'https' : req.protocol,
      ...(req.hostname && { 'server.address': req.hostname }),
      'http.response.status_code': res.statusCode,
      ...(route !== undefined && { 'http.route': route }),
    },
    ...(res.statusCode >= 500 && { error: res.statusCode }),
    // A stream ends when its client disconnects.
    ...(!(res.writableFinished || isStream) && {
      error: new Error('The connection was closed before the answer was sent'),
    }),
  });
}
