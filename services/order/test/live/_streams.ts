import { once } from 'node:events';
import { createServer, type IncomingMessage, request } from 'node:http';
import { createParser, type EventSourceMessage } from 'eventsource-parser';
import { base64url } from 'jose';
import { listen } from '../../../../tests/kit/listen.ts';
import { until } from '../../../../tests/kit/until.ts';
import { alice, testApp } from '../_app.ts';

/** Headers as the gateway sends them. */
export function headersOf(
  accountId: string,
  { id = crypto.randomUUID() as string, expiresInSeconds = 3600, kid = 'k' } = {},
) {
  const now = Math.floor(Date.now() / 1000);
  const claims = { auth_time: now, iat: now, exp: now + expiresInSeconds, jti: id, sub: accountId };
  const parts = [{ alg: 'EdDSA', typ: 'JWT', kid }, claims].map((part) => base64url.encode(JSON.stringify(part)));
  return { 'id-account': accountId, authorization: `Bearer ${parts.join('.')}.c2lnbmF0dXJl` };
}

export type OpenStream = Awaited<ReturnType<typeof openStream>>;

/** Opens a stream at a replica. Resolves when the replica answers. */
export async function openStream(
  url: string,
  { lastEventId, headers = headersOf(alice) }: { lastEventId?: string; headers?: Record<string, string> } = {},
) {
  const sent = request(`${url}/orders/events`, {
    headers: { ...headers, ...(lastEventId !== undefined && { 'last-event-id': lastEventId }) },
    agent: false,
  });
  sent.on('error', () => undefined).end();
  const [response] = (await once(sent, 'response')) as [IncomingMessage];
  const events: EventSourceMessage[] = [];
  const parser = createParser({ onEvent: (event) => void events.push(event) });
  response
    .setEncoding('utf8')
    .on('data', (text: string) => parser.feed(text))
    .on('error', () => undefined);
  return {
    status: response.statusCode ?? 0,
    headers: response.headers,
    events,
    names: () => events.map(({ event }) => event),
    /** `<order> <status>` of each event about an order. */
    statuses: () =>
      events
        .filter(({ event }) => event === 'order')
        .map(({ data }) => JSON.parse(data))
        .map(({ orderId, status }) => `${orderId} ${status}`),
    isOver: () => response.closed,
    /** Whether the server ended the stream, and the connection did not break. */
    isComplete: () => response.complete,
    lastEventId: () => events.at(-1)?.id ?? lastEventId ?? '',
    /** Breaks the connection like a client that loses it. */
    break: () => sent.destroy(),
  };
}

/** Opens a stream and waits until it has begun. */
export async function beganStream(...args: Parameters<typeof openStream>): Promise<OpenStream> {
  const stream = await openStream(...args);
  await until('the stream has begun', () => stream.events.length > 0);
  return stream;
}

/** Starts the service as one of several replicas that share a database. */
export async function startReplica(databaseUrl: string, options: Parameters<typeof testApp>[1] = {}) {
  const service = testApp(databaseUrl, options);
  const jobs = service.jobs?.map((job) => job.start(service.log)) ?? [];
  // The same limit as that of the service (http/listen.ts).
  const server = createServer({ maxHeaderSize: 72 * 1024 }, service.app);
  return {
    ...service,
    url: `http://127.0.0.1:${await listen(server)}`,
    async close() {
      service.endStreams?.();
      server.close();
      server.closeAllConnections();
      for (const job of jobs) await job.stop();
      await service.close();
    },
  };
}

/** A statement that places `count` orders of an account, and `others` orders of other accounts. */
export const placing = (accountId: string, count = 1, others = 0) =>
  `insert into orders (id, account_id, status, total_amount, currency, created_at, updated_at)
   select gen_random_uuid(), case when n <= ${count} then '${accountId}'::uuid else gen_random_uuid() end,
     'PENDING', 1, 'USD', now(), now() from generate_series(1, ${count + others}) as n`;
