import type { Request, Response } from 'express';
import { cut } from '../values/text.ts';

/** Facts that the layers of one request tell one another. */
interface RequestContext {
  /** Pattern of its path, once a route was found. */
  route?: string;
  /** Statuses that the route declares; outside production. */
  declared?: ReadonlySet<number>;
  accountId?: string;
  roles?: readonly string[];
  /** The answer lasts as long as its client wants. */
  isStream?: boolean;
  /** Its place among the requests in flight (http/in-flight.ts), as long as it has one. */
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

/** Characters of a path that a log line holds at most, so that long ones do not fill the disk (contract 1.3). */
const maxLength = 2048;

/** Returns the path for a log line: cut, and without the query, which may be secret. */
export const pathOf = (req: Request): string => cut(req.originalUrl.split('?', 1)[0] ?? '', maxLength);
