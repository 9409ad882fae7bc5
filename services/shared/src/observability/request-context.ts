import type { Request, Response } from 'express';
import { cut } from '../values/text.ts';

/** Facts that the layers of a request share. */
interface RequestContext {
  /** Pattern of the path, if a route was found. */
  route?: string;
  /** Statuses that the route declares; undefined in production. */
  declared?: ReadonlySet<number>;
  accountId?: string;
  roles?: readonly string[];
  /** Of the API key; undefined for a session. */
  scopes?: readonly string[] | undefined;
  /** True if the answer lasts as long as its client wants. */
  isStream?: boolean;
  /** Its place among the requests in flight (http/in-flight.ts), while it has one. */
  place?: { isWorking?: boolean; account?: string };
}

const contexts = new WeakMap<Response, RequestContext>();

export function contextOf(res: Response): RequestContext {
  let context = contexts.get(res);
  if (context === undefined) {
    context = {};
    contexts.set(res, context);
  }
  return context;
}

/** The most characters of a path in a log line, so that long paths do not fill the disk (contract 1.3). */
const maxLength = 2048;

/** Returns the path for a log line: cut to the limit, and without the query, which may be secret. */
export const pathOf = (req: Request): string => cut(req.originalUrl.split('?', 1)[0] ?? '', maxLength);
