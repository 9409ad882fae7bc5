import type { Request, Response } from 'express';
import type { z } from 'zod';
import { contextOf } from '../observability/request-context.ts';
import { actorOf } from '../values/audit.ts';
import { DomainError, invalidFields } from '../values/errors.ts';
import { type Place, sentenceOf } from '../values/sentences.ts';
import { parsedBody, uploadOf } from './body.ts';
import { clientAddressOf } from './identity.ts';
import { type AnyRoute, bodyKibOf, hasHtml } from './route.ts';

/** A separate function, so that the received body is not kept in memory while the handler waits. */
export const inputOf = (route: AnyRoute, req: Request, res: Response) => ({
  params: parseParams(route.params, req),
  query: parse(route.query, req.query, 'query'),
  headers: parse(route.headers, req.headers, 'header'),
  cookies: parse(route.cookies, req.cookies, 'cookie'),
  body: route.body === undefined ? undefined : parse(route.body, parsedBody(req, route), 'body'),
  rawBody: Buffer.isBuffer(req.body) ? req.body : Buffer.alloc(0),
  accountId: contextOf(res).accountId,
  roles: contextOf(res).roles,
  scopes: contextOf(res).scopes,
  actor: actorOf(contextOf(res).accountId, req.headers['operator-name']),
  authorization: req.headers.authorization,
  clientAddress: clientAddressOf(req.headers['x-envoy-external-address']),
  ended: () => endOf(res),
  userAgent: req.headers['user-agent'],
  upload: () => uploadOf(req, bodyKibOf(route)),
  url: req.originalUrl,
  prefersHtml: hasHtml(route) && req.accepts(['json', 'html']) === 'html',
  isHttps: req.headers['x-forwarded-proto'] === 'https',
});

function endOf(res: Response): AbortSignal {
  const ending = new AbortController();
  if (res.closed) ending.abort();
  else res.once('close', () => ending.abort());
  return ending.signal;
}

function parse(schema: z.ZodType | undefined, value: unknown, place: Place): unknown {
  if (schema === undefined) return undefined;
  const result = schema.safeParse(value, { error: sentenceOf(place) });
  if (result.success) return result.data;
  throw invalidFields(
    ...result.error.issues.map(({ path, message }) => ({ path: [place, ...path.map(String)].join('.'), message })),
  );
}

/** A path parameter that does not fit its schema cannot name an existing resource. */
function parseParams(schema: z.ZodType | undefined, req: Request): unknown {
  if (schema === undefined) return undefined;
  const result = schema.safeParse(req.params);
  if (result.success) return result.data;
  throw new DomainError('notFound', 'There is no such resource.');
}
