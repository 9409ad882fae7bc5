import { createServer } from 'node:http';
import { buffer } from 'node:stream/consumers';
import { listen } from '../listen.ts';
import { fields } from './protobuf.ts';

/** A span as the collector received it; numbers as in opentelemetry/proto/trace/v1/trace.proto. */
export interface ReceivedSpan {
  service: string;
  name: string;
  /** internal 1, server 2, client 3, producer 4, consumer 5 */
  kind: number;
  traceId: string;
  spanId: string;
  /** Empty for a root span. */
  parentId: string;
  attributes: Record<string, unknown>;
  /** unset 0, ok 1, error 2 */
  status: number;
}

export type Otlp = Awaited<ReturnType<typeof startOtlp>>;

/** A fake OTLP/HTTP collector that keeps all spans: JSON from the services, protobuf from Envoy. */
export async function startOtlp(port = 0) {
  const spans: ReceivedSpan[] = [];
  const server = createServer(async (req, res) => {
    const body = await buffer(req);
    const isJson = req.headers['content-type'] === 'application/json';
    if (req.url === '/v1/traces') spans.push(...(isJson ? fromJson(JSON.parse(String(body))) : fromProtobuf(body)));
    res.writeHead(req.url === '/v1/traces' ? 200 : 404, { 'content-type': 'application/json' }).end('{}');
  });
  return {
    url: `http://127.0.0.1:${await listen(server, port)}`,
    spans,
    of: (traceId: string) => spans.filter((span) => span.traceId === traceId),
    async stop() {
      server.close();
      server.closeAllConnections();
    },
  };
}

interface JsonAttribute {
  key: string;
  value: Record<string, unknown>;
}

interface JsonSpan extends Omit<ReceivedSpan, 'attributes' | 'status'> {
  parentSpanId?: string;
  attributes: JsonAttribute[];
  status?: { code?: number };
}

interface JsonTraces {
  resourceSpans: { resource: { attributes: JsonAttribute[] }; scopeSpans: { spans: JsonSpan[] }[] }[];
}

function fromJson({ resourceSpans }: JsonTraces): ReceivedSpan[] {
  const toObject = (attributes: JsonAttribute[]) =>
    Object.fromEntries(attributes.map(({ key, value }) => [key, Object.values(value)[0]]));
  return resourceSpans.flatMap(({ resource, scopeSpans }) =>
    scopeSpans.flatMap(({ spans }) =>
      spans.map(({ name, kind, traceId, spanId, parentSpanId = '', attributes, status }) => ({
        name,
        kind,
        traceId,
        spanId,
        parentId: parentSpanId,
        status: status?.code ?? 0,
        service: String(toObject(resource.attributes)['service.name']),
        attributes: toObject(attributes),
      })),
    ),
  );
}

/** Decodes the fields of TracesData (trace.proto) that tests use. */
function fromProtobuf(body: Buffer): ReceivedSpan[] {
  const text = (bytes: Buffer | undefined) => String(bytes ?? '');
  const hex = (bytes: Buffer | undefined) => bytes?.toString('hex') ?? '';
  const toObject = (attributes: Buffer[]) =>
    Object.fromEntries(
      attributes.map(fields).map(({ bytes }) => [text(bytes(1)[0]), text(fields(bytes(2)[0]).bytes(1)[0])]),
    );
  return fields(body)
    .bytes(1)
    .map(fields)
    .flatMap((resourceSpans) => {
      const resource = toObject(fields(resourceSpans.bytes(1)[0]).bytes(1));
      const spans = resourceSpans.bytes(2).flatMap((scopeSpans) => fields(scopeSpans).bytes(2));
      return spans.map(fields).map(({ bytes, number }) => ({
        service: resource['service.name'] ?? '',
        name: text(bytes(5)[0]),
        kind: number(6),
        traceId: hex(bytes(1)[0]),
        spanId: hex(bytes(2)[0]),
        parentId: hex(bytes(4)[0]),
        attributes: toObject(bytes(9)),
        status: fields(bytes(15)[0]).number(3),
      }));
    });
}
