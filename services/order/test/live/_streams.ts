import { once } from 'node:events';
import { createServer, type IncomingMessage, request, type Server } from 'node:http';
import type { AddressInfo } from 'node:net';
import { createParser, type EventSourceMessage } from 'eventsource-parser';
import { base64url } from 'jose';
import { until } from '../../../../tests/kit/until.ts';
import { alice, testApp } from '../_app.ts';

/** As the gateway sends it. */
export function headersOf(
  accountId: string,
  { id = crypto.randomUUID() as string, expiresInSeconds = 3600, kid = 'k' } = {},
) {
  const now = Math.floor(Date.now() / 1000);
  const claims = { auth_time: now, iat: now, exp: now + expiresInSeconds, jti: id, sub: accountId };
  const parts = [{ alg: 'EdDSA', typ: 'JWT', kid }, claims].map((part) => base64url.encode(JSON.stringify(part)));
  return { 'id-account': accountId, authorization: `Bearer ${parts.join('.')}.c2lnbmF0dXJl` };
}

export interface OpenStream {
  status: number;
  headers: IncomingMessage['headers'];
  events: EventSourceMessage[];
  /** `<order> <status>` of each event about an order. */
  statuses(): string[];
  isOver(): boolean;
  lastEventId(): string | undefined;
  /** As a client that loses its connection. */
  break(): void;
  response: IncomingMessage;
}

/** Opens a stream at a replica, and resolves when it is answered. */
export async function openStream(
  url: string,
  { lastEventId, headers = headersOf(alice) }: { lastEventId?: string; headers?: Record<string, string> } = {},
): Promise<OpenStream> {
  const sent = request(`${url}/orders/events`, {
    headers: { ...headers, ...(lastEventId !== undefined && { 'last-event-id': lastEventId }) },
    agent: false,
  });
  sent.on('error', () => undefined).end();
  const [response] = (await once(sent, 'response')) as [IncomingMessage];
  const events: EventSourceMessage[] = [];
  const parser = createParser({ onEvent: (event) => void events.push(event) });
  let isOver = false;
  response
    .setEncoding('utf8')
    .on('data', (text: string) => parser.feed(text))
    .on('error', () => undefined)
    .on('close', () => {
      isOver = true;
    });
  return {
    status: response.statusCode ?? 0,
    headers: response.headers,
    events,
    statuses: () =>
      events
        .filter(({ event }) => event === 'order')
        .map(({ data }) => JSON.parse(data))
        .map(({ orderId, status }) => `${orderId} ${status}`),
    isOver: () => isOver,
    lastEventId: () => events.at(-1)?.id ?? lastEventId,
    break: () => sent.destroy(),
    response,
  };
}

/** A stream that has begun. */
export async function beganStream(...args: Parameters<typeof openStream>): Promise<OpenStream> {
  const stream = await openStream(...args);
  await until('the stream has begun', () => stream.events.length > 0);
  return stream;
}

/** The service as one of several replicas that share a database. */
export async function startReplica(databaseUrl: string, options: Parameters<typeof testApp>[1] = {}) {
  const service = testApp(databaseUrl, options);
  // As long as the service takes them (http/listen.ts).
  const server: Server = createServer({ maxHeaderSize: 72 * 1024 }, service.app);
  await once(server.listen(0, '127.0.0.1'), 'listening');
  return {
    ...service,
    url: `http://127.0.0.1:${(server.address() as AddressInfo).port}`,
    async stop() {
      service.endStreams?.();
      server.close();
      server.closeAllConnections();
      await service.close();
    },
  };
}
