import type { ServerResponse } from 'node:http';

/** Facts that the layers of one request tell one another. */
export interface RequestContext {
  /** Pattern of its path, once a route was found. */
  route?: string;
  /** Statuses that the route declares; outside production. */
  declared?: ReadonlySet<number>;
  accountId?: string;
  /** Roles of the caller (contract 3.9). */
  roles?: readonly string[];
  /** The answer lasts as long as its client wants. */
  isStream?: boolean;
}

const contexts = new WeakMap<ServerResponse, RequestContext>();

/** Returns the context of the request that this response answers. */
export function contextOf(res: ServerResponse): RequestContext {
  let context = contexts.get(res);
  if (context === undefined) {
    context = {};
    contexts.set(res, context);
  }
  return context;
}
