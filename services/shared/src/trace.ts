import { AsyncLocalStorage } from 'node:async_hooks';
import { randomUUID } from 'node:crypto';

export interface Trace {
  /** 32 hex digits: the same for everything that one request causes. */
  traceId: string;
  /** W3C trace context, to be sent on with every outgoing call and event. */
  traceparent: string;
}

const current = new AsyncLocalStorage<Trace>();
const traceparentPattern = /^00-(?!0{32})([0-9a-f]{32})-(?!0{16})[0-9a-f]{16}-0[01]$/;
const uuidPattern = /^[0-9a-f]{8}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{12}$/;

/**
 * Goes on with the caller's trace. Without a `traceparent` the gateway's `x-request-id` (a UUID, sent to every
 * service of one request) gives the trace id, so that their log lines are found together.
 */
export function traceFrom(traceparent: string | undefined, requestId?: string): Trace {
  const given = traceparent === undefined ? undefined : traceparentPattern.exec(traceparent)?.[1];
  const traceId =
    given ?? (requestId !== undefined && uuidPattern.test(requestId) ? requestId.replaceAll('-', '') : hexDigits());
  return { traceId, traceparent: `00-${traceId}-${hexDigits().slice(16)}-01` };
}

/** 32 random ones. Of a UUID, for which Node has random bytes in store. */
const hexDigits = () => randomUUID().replaceAll('-', '');

export function runInTrace<T>(trace: Trace, work: () => T): T {
  return current.run(trace, work);
}

export function currentTrace(): Trace | undefined {
  return current.getStore();
}
