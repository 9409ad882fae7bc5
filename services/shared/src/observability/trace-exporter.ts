import { hostname } from 'node:os';
import { DiagLogLevel, diag, ROOT_CONTEXT, SpanKind, SpanStatusCode, trace } from '@opentelemetry/api';
import { OTLPTraceExporter } from '@opentelemetry/exporter-trace-otlp-http';
import { detectResources, envDetector, resourceFromAttributes } from '@opentelemetry/resources';
import { BasicTracerProvider, BatchSpanProcessor } from '@opentelemetry/sdk-trace-base';
import { cut } from '../values/text.ts';
import { within } from '../values/time.ts';
import type { Logger } from './log.ts';
import { readTraceparent, recordSpans, type SpanOptions } from './trace-context.ts';

const complainEveryMs = 60_000;
/** An unavailable collector may delay the end of a process this long. */
const longestFlushMs = 2_000;

/**
 * Records spans and sends them by OTLP, configured by the standard OTEL_ variables. Loaded only if a collector is configured.
 * While the collector is unavailable, at most 2048 spans wait, others are dropped, and a line is logged once a minute.
 */
export function startTracing(service: string, log: Logger): { stop(): Promise<void> } {
  let complainAt = 0;
  const complain = (message: string) => {
    if (Date.now() < complainAt) return;
    complainAt = Date.now() + complainEveryMs;
    log.warn({ reason: cut(message, 500) }, 'Spans cannot be sent');
  };
  const nothing = () => undefined;
  diag.setLogger(
    { error: complain, warn: nothing, info: nothing, debug: nothing, verbose: nothing },
    { logLevel: DiagLogLevel.ERROR, suppressOverrideMessage: true },
  );
  const own = resourceFromAttributes({ 'service.name': service, 'service.instance.id': hostname() });
  const provider = new BasicTracerProvider({
    resource: own.merge(detectResources({ detectors: [envDetector] })),
    spanProcessors: [new BatchSpanProcessor(new OTLPTraceExporter())],
  });
  const tracer = provider.getTracer('store');

  recordSpans(({ name, kind, parent, attributes }: SpanOptions) => {
    const options = { kind: SpanKind[kind.toUpperCase() as Uppercase<typeof kind>], ...(attributes && { attributes }) };
    const span = tracer.startSpan(name, options, contextOf(parent));
    const { traceId, spanId, traceFlags } = span.spanContext();
    return {
      traceId,
      traceparent: `00-${traceId}-${spanId}-0${traceFlags}`,
      end({ name, attributes, error } = {}) {
        if (name !== undefined) span.updateName(name);
        if (attributes !== undefined) span.setAttributes(attributes);
        if (error !== undefined) {
          const type = error instanceof Error ? error.name : String(error);
          span.setAttribute('error.type', type);
          span.setStatus({ code: SpanStatusCode.ERROR, ...(error instanceof Error && { message: error.message }) });
        }
        span.end();
      },
    };
  });

  return {
    async stop() {
      recordSpans(undefined);
      const flushed = provider.shutdown().catch((error: unknown) => complain(String(error)));
      await within(longestFlushMs, flushed);
    },
  };
}

function contextOf(traceparent: string | null | undefined) {
  const parent = readTraceparent(traceparent);
  if (parent === undefined) return ROOT_CONTEXT;
  const { traceId, spanId, flags } = parent;
  return trace.setSpanContext(ROOT_CONTEXT, { traceId, spanId, traceFlags: Number(flags) & 1, isRemote: true });
}
