import { once } from 'node:events';
import { createServer } from 'node:http2';
import type { AddressInfo } from 'node:net';
import { buffer } from 'node:stream/consumers';

/** The fields of a message of protobuf that are length-delimited, by their numbers; of other kinds a request needs none. */
function fieldsOf(message: Buffer): { field: number; value: Buffer }[] {
  const fields: { field: number; value: Buffer }[] = [];
  for (let at = 0; at < message.length; ) {
    const tag = message[at++] ?? 0;
    let length = 0;
    for (let shift = 0, byte = 0x80; byte & 0x80; shift += 7) {
      byte = message[at++] ?? 0;
      length |= (byte & 0x7f) << shift;
    }
    if ((tag & 7) !== 2) continue; // a varint, which is read
    fields.push({ field: tag >> 3, value: message.subarray(at, at + length) });
    at += length;
  }
  return fields;
}

const ofField = (message: Buffer, wanted: number) =>
  fieldsOf(message).flatMap(({ field, value }) => (field === wanted ? [value] : []));
const textOf = (message: Buffer, field: number) => String(ofField(message, field)[0] ?? '');

/** Descriptors as `key=value,key=value`. */
const descriptorsOf = (request: Buffer): string[] =>
  ofField(request, 2).map((descriptor) =>
    ofField(descriptor, 1)
      .map((entry) => `${textOf(entry, 1)}=${textOf(entry, 2)}`)
      .join(),
  );

const [ok, overLimit] = [1, 2];

/** Starts a rate limit service as Envoy asks one (envoy.service.ratelimit.v3), which allows each descriptor so many requests. */
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
  server.listen(0, '127.0.0.1');
  await once(server, 'listening');
  return {
    address: `127.0.0.1:${(server.address() as AddressInfo).port}`,
    counts,
    /** Has it take requests and answer none. */
    hang: () => {
      answers = false;
    },
    close: () => server.close(),
  };
}
