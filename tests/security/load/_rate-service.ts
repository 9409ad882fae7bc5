import { createServer } from 'node:http2';
import { buffer } from 'node:stream/consumers';
import { listen } from '../../kit/listen.ts';
import { fields } from '../../kit/observability/protobuf.ts';

/** Descriptors as `key=value,key=value`. */
const descriptorsOf = (request: Buffer): string[] =>
  fields(request)
    .bytes(2)
    .map((descriptor) => fields(descriptor).bytes(1).map(fields))
    .map((entries) => entries.map(({ bytes }) => `${bytes(1)[0] ?? ''}=${bytes(2)[0] ?? ''}`).join());

const [ok, overLimit] = [1, 2];

/** Starts a rate limit service for Envoy (envoy.service.ratelimit.v3) that allows this many requests for each descriptor. */
export async function startRateService(allowed: number) {
  const counts = new Map<string, number>();
  let answers = true;
  const server = createServer();
  server.on('stream', async (stream, headers) => {
    stream.on('error', () => undefined);
    const request = (await buffer(stream)).subarray(5);
    if (!answers || headers[':path'] !== '/envoy.service.ratelimit.v3.RateLimitService/ShouldRateLimit') return;
    const over = descriptorsOf(request).filter((descriptor) => {
      const count = (counts.get(descriptor) ?? 0) + 1;
      counts.set(descriptor, count);
      return count > allowed;
    });
    stream.respond({ ':status': 200, 'content-type': 'application/grpc' }, { waitForTrailers: true });
    stream.on('wantTrailers', () => stream.sendTrailers({ 'grpc-status': '0' }));
    stream.end(Buffer.from([0, 0, 0, 0, 2, 0x08, over.length > 0 ? overLimit : ok]));
  });
  return {
    address: `127.0.0.1:${await listen(server)}`,
    counts,
    /** Makes it accept requests without answering. */
    hang: () => {
      answers = false;
    },
    close: () => server.close(),
  };
}
