import { once } from 'node:events';
import { createServer, type IncomingMessage, request, type Server, type ServerResponse } from 'node:http';
import { text } from 'node:stream/consumers';
import { listen } from '../../../../tests/kit/listen.ts';
import { until } from '../../../../tests/kit/until.ts';
import { createEventStream, type EventStream } from './event-stream.ts';

let server: Server;
let stream: EventStream;
let response: IncomingMessage;
let sending: ServerResponse;
let now: number;

beforeEach(async () => {
  now = 0;
  server = createServer((_, res: ServerResponse) => {
    res.writeHead(200).flushHeaders();
    sending = res;
    stream = createEventStream(res, () => now);
  });
  const sent = request({ port: await listen(server), agent: false }).end();
  [response] = (await once(sent, 'response')) as [IncomingMessage];
  response.on('error', () => undefined);
});

afterEach(() => {
  server.closeAllConnections();
  server.close();
});

/** Sends more than the buffers of both sockets hold, to a client that does not read. */
function fill(): void {
  response.pause();
  stream.send([{ id: '1', event: 'order', data: { text: 'x'.repeat(64_000_000) } }]);
}

it('writes events, and a heartbeat if nothing else was written for 15 s', async () => {
  now = 14_999;
  stream.beat();
  stream.send([{ id: '1', event: 'order', data: { a: 'b\n' } }]);
  await until('the event has been sent', () => !stream.isFull());
  now += 15_000;
  stream.beat();
  stream.beat();
  stream.end();
  expect(await text(response)).toMatch(/^retry: [23]\d{3}\nid: 1\nevent: order\ndata: {"a":"b\\n"}\n\n:\n\n$/);
});

it('is full while the client does not read, and no longer once it reads', async () => {
  fill();
  now = 59_999;
  stream.beat();
  expect(stream.isFull()).toBe(true);
  response.resume();
  await until('everything has been sent', () => !stream.isFull());
});

it.each<[string, () => void]>([
  [
    'cuts off a client that has read nothing for a minute',
    () => {
      now = 60_000;
      stream.beat();
    },
  ],
  ['ends soon, even if the client has not read everything', () => stream.end()],
])('%s', async (_, end) => {
  fill();
  const closed = once(sending, 'close');
  end();
  await closed;
  await new Promise((resolve) => response.resume().once('close', resolve));
  expect(response.complete).toBe(false);
});
