import { AsyncLocalStorage } from 'node:async_hooks';
import { randomUUID } from 'node:crypto';

export interface Trace {
  /** 32 hex digits: the same for everything that one request causes. */
  traceId: string;
  /** W3C trace context, to be sent on with every outgoing call and event. */
  traceparent: string;
}

/** A piece of work that is recorded. One that never ends is never reported. */
export interface Span extends Trace {
  end(outcome?: SpanOutcome): void;
}

export interface SpanOptions {
  name: string;
  kind: 'server' | 'client' | 'producer' | 'consumer' | 'internal';
  /** `traceparent` of what has caused it. Default: the work under way. */
  parent?: string | null | undefined;
  attributes?: Record<string, string | number>;
}

/** What is known at its end only. */
export interface SpanOutcome {
  name?: string;
  attributes?: Record<string, string | number>;
  /** Given: it has failed. */
  error?: unknown;
}

export type StartSpan = (options: SpanOptions) => Span;

const current = new AsyncLocalStorage<Trace>();
let recorder: StartSpan | undefined;

/** trace id, parent id, flags: sampled, and random, which Level 2 of the standard has added */
const traceparentPattern = /^00-(?!0{32})([0-9a-f]{32})-(?!0{16})([0-9a-f]{16})-(0[0-3])$/;
const uuidPattern = /^[0-9a-f]{8}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{12}$/;

/**
 * Goes on with the caller's trace. Without a `traceparent` the gateway's `x-request-id` (a UUID, sent to every
 * service of one request) gives the trace id, so that their log lines are found together.
 */
export function traceFrom(traceparent: string | null | undefined, requestId?: string): Trace {
  const given = readTraceparent(traceparent);
  const traceId =
    given?.traceId ??
    (requestId !== undefined && uuidPattern.test(requestId) ? requestId.replaceAll('-', '') : hexDigits());
  return { traceId, traceparent: `00-${traceId}-${hexDigits().slice(16)}-${given?.flags ?? '01'}` };
}

/** Undefined for what is no traceparent. */
export function readTraceparent(text: string | null | undefined) {
  const [, traceId, spanId, flags] = traceparentPattern.exec(text ?? '') ?? [];
  return traceId && spanId && flags ? { traceId, spanId, flags } : undefined;
}

/** 32 random ones. Of a UUID, for which Node has random bytes in store. */
const hexDigits = () => randomUUID().replaceAll('-', '');

export function runInTrace<T>(trace: Trace, work: () => T): T {
  return current.run(trace, work);
}

export function currentTrace(): Trace | undefined {
  return current.getStore();
}

/** From now on spans are recorded (tracing.ts), or with undefined no more. */
export function recordSpans(start: StartSpan | undefined): void {
  recorder = start;
}

/** Undefined where nothing is recorded. */
export function startSpan(options: SpanOptions): Span | undefined {
  return recorder?.('parent' in options ? options : { ...options, parent: currentTrace()?.traceparent });
}

/** Runs the work in a span that ends with it, and what it calls and writes in the trace of that span. */
export async function inSpan<T>(options: SpanOptions, work: () => Promise<T>): Promise<T> {
  const span = startSpan(options);
  if (span === undefined) return 'parent' in options ? runInTrace(traceFrom(options.parent), work) : work();
  try {
    const result = await runInTrace(span, work);
    span.end();
    return result;
  } catch (error) {
    span.end({ error });
    throw error;
  }
}
