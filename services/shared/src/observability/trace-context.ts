import { AsyncLocalStorage } from 'node:async_hooks';
import { randomUUID } from 'node:crypto';

export interface Trace {
  /** 32 hex digits, the same for everything that a request causes. */
  traceId: string;
  /** W3C Trace Context, sent with every outgoing call and event. */
  traceparent: string;
}

export interface Span extends Trace {
  end(outcome?: SpanOutcome): void;
}

export interface SpanOptions {
  name: string;
  kind: 'server' | 'client' | 'producer' | 'consumer' | 'internal';
  /** `traceparent` of the cause. Default: the current span. */
  parent?: string | null | undefined;
  attributes?: Record<string, string | number>;
}

/** Facts about a span that are known only at its end. */
interface SpanOutcome {
  name?: string;
  attributes?: Record<string, string | number>;
  /** Set if the work failed. */
  error?: unknown;
}

type StartSpan = (options: SpanOptions) => Span;

const current = new AsyncLocalStorage<Trace>();
let recorder: StartSpan | undefined;

/** Matches the trace id, the parent id, and the flags sampled and random (W3C Trace Context Level 2). */
const traceparentPattern = /^00-(?!0{32})([0-9a-f]{32})-(?!0{16})([0-9a-f]{16})-(0[0-3])$/;
const uuidPattern = /^[0-9a-f]{8}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{12}$/;

/**
 * Continues the caller's trace. Without a `traceparent`, the trace id is the gateway's `x-request-id`, a UUID that is the
 * same for every service that a request reaches, so that their log lines belong together.
 */
export function traceFrom(traceparent: string | null | undefined, requestId?: string): Trace {
  const given = readTraceparent(traceparent);
  const traceId =
    given?.traceId ??
    (requestId !== undefined && uuidPattern.test(requestId) ? requestId.replaceAll('-', '') : hexDigits());
  return { traceId, traceparent: `00-${traceId}-${hexDigits().slice(16)}-${given?.flags ?? '01'}` };
}

export function readTraceparent(text: string | null | undefined) {
  const [, traceId, spanId, flags] = traceparentPattern.exec(text ?? '') ?? [];
  return traceId && spanId && flags ? { traceId, spanId, flags } : undefined;
}

/** Returns 32 random hex digits, from a UUID because Node caches random bytes for UUIDs. */
const hexDigits = () => randomUUID().replaceAll('-', '');

export function runInTrace<T>(trace: Trace, work: () => T): T {
  return current.run(trace, work);
}

export function currentTrace(): Trace | undefined {
  return current.getStore();
}

/** Records spans with `start` from now on (trace-exporter.ts); undefined stops recording. */
export function recordSpans(start: StartSpan | undefined): void {
  recorder = start;
}

/** @returns undefined if spans are not recorded */
export function startSpan(options: SpanOptions): Span | undefined {
  return recorder?.('parent' in options ? options : { ...options, parent: currentTrace()?.traceparent });
}

/** Runs work in a span: its calls, events and log lines belong to the span's trace. `outcomeOf` derives the span's outcome from the result. */
export async function inSpan<T>(
  options: SpanOptions,
  work: () => Promise<T>,
  outcomeOf?: (result: T) => SpanOutcome,
): Promise<T> {
  const span = startSpan(options);
  if (span === undefined) return 'parent' in options ? runInTrace(traceFrom(options.parent), work) : work();
  try {
    const result = await runInTrace(span, work);
    span.end(outcomeOf?.(result));
    return result;
  } catch (error) {
    span.end({ error });
    throw error;
  }
}
