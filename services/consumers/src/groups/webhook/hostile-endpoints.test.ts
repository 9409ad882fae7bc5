import { createServer, type Socket } from 'node:net';
import { gzipSync } from 'node:zlib';
import { listen, serve } from '../../../../../tests/kit/listen.ts';
import { type Attempt, createEndpointClient } from './endpoint-client.ts';
import { newSecret } from './secrets.ts';

const mib = 1024 * 1024;
/** Larger than the buffers of a connection, so that an endpoint that does not read never gets it all. */
const large = JSON.stringify({ text: 'x'.repeat(16 * mib) });
const ok = 'HTTP/1.1 200 OK\r\n';
const hints = 'HTTP/1.1 103 Early Hints\r\n\r\n';
/** 100 MiB of zeros in 100 KiB. */
const bomb = Buffer.concat(Array(100).fill(gzipSync(Buffer.alloc(mib))));
const redirected: string[] = [];
const elsewhere = await serve(({ url = '' }, res) => {
  redirected.push(url);
  res.end();
});

/** Of this thread: others run other tests in the same process. */
function ownMemory(): number {
  const { heapUsed, external } = process.memoryUsage();
  return heapUsed + external;
}

/** Sends as fast as the other side reads. */
function flood(socket: Socket, first: string, chunk: string): void {
  const push = () => {
    while (!socket.destroyed && socket.write(chunk));
  };
  socket.on('drain', push).write(first);
  push();
}
function trickle(socket: Socket, first: string): void {
  const timer = setInterval(() => socket.write('x'), 50);
  socket.on('close', () => clearInterval(timer)).write(first);
}
const send = (text: string) => (socket: Socket) => void socket.write(text);
const sendAndClose = (text: string) => (socket: Socket) => void socket.end(text);

const accepted = { status: 200, failure: undefined };
const late = { status: undefined, failure: 'There was no answer within 10 s.' };
/** Without the address, which the messages of sockets have. */
const broken = { status: undefined, failure: expect.stringMatching(/^The connection failed: [A-Z_]+\.$/) };

interface Hostile {
  is: object;
  answer(socket: Socket): void;
  body?: string;
  /** It answers without reading. */
  isDeaf?: true;
}

const endpoints: Record<string, Hostile> = {
  'says nothing': { is: late, answer: () => undefined },
  'reads nothing': { is: late, answer: () => undefined, body: large, isDeaf: true },
  'trickles bytes in the header': { is: late, answer: (socket) => trickle(socket, `${ok}x: `) },
  'trickles bytes in the body': { is: accepted, answer: (socket) => trickle(socket, `${ok}\r\n`) },
  'sends a header without an end': { is: broken, answer: (socket) => flood(socket, `${ok}x: `, 'x'.repeat(1_000)) },
  'sends headers without an end': { is: broken, answer: (socket) => flood(socket, ok, 'x: y\r\n'.repeat(100)) },
  'sends a body without an end': { is: accepted, answer: (socket) => flood(socket, `${ok}\r\n`, 'x'.repeat(10_000)) },
  'sends trailers without an end': {
    is: accepted,
    answer: (socket) => flood(socket, `${ok}transfer-encoding: chunked\r\n\r\n0\r\n`, 'x: y\r\n'.repeat(100)),
  },
  'sends a chunk extension without an end': {
    is: accepted,
    answer: (socket) => flood(socket, `${ok}transfer-encoding: chunked\r\n\r\n1;`, 'x'.repeat(1_000)),
  },
  'sends preliminary answers without an end': {
    is: { status: undefined },
    answer: (socket) => flood(socket, hints, hints.repeat(10)),
  },
  'sends a preliminary answer first': { is: accepted, answer: send(`${hints}${ok}content-length: 0\r\n\r\n`) },
  'switches protocols': { is: broken, answer: send('HTTP/1.1 101 Switching Protocols\r\nupgrade: x\r\n\r\n') },
  'sends a bomb of gzip': {
    is: accepted,
    answer(socket) {
      socket.write(`${ok}content-encoding: gzip\r\ncontent-length: ${bomb.length}\r\n\r\n`);
      socket.write(bomb);
    },
  },
  'answers before the request was read': {
    is: accepted,
    answer: send(`${ok}content-length: 0\r\n\r\n`),
    body: large,
    isDeaf: true,
  },
  'closes before it answers': { is: broken, answer: sendAndClose('') },
  'closes in the middle of a header': { is: broken, answer: sendAndClose(`${ok}x: y`) },
  'closes in the middle of the body': { is: accepted, answer: sendAndClose(`${ok}content-length: 100\r\n\r\nx`) },
  'resets the connection': { is: broken, answer: (socket) => void socket.resetAndDestroy() },
  'speaks another protocol': {
    is: { status: undefined, failure: expect.stringMatching(/^Response does not match the HTTP/) },
    answer: send('SSH-2.0-OpenSSH_9.6\r\n'),
  },
  'states two lengths': { is: broken, answer: send(`${ok}content-length: 1\r\ncontent-length: 2\r\n\r\nxx`) },
  'states an absurd length': { is: accepted, answer: send(`${ok}content-length: 9007199254740991\r\n\r\nx`) },
  'states an absurd length of a chunk': {
    is: accepted,
    answer: send(`${ok}transfer-encoding: chunked\r\n\r\nfffffffffffffff\r\nx`),
  },
  'redirects to an address within the network': {
    is: { status: 307, failure: 'The endpoint answered 307.' },
    answer: send(`HTTP/1.1 307 x\r\nlocation: ${elsewhere}/internal\r\ncontent-length: 0\r\n\r\n`),
  },
  'asks for a pause of years': {
    is: { status: 503, retryAfterSeconds: 86_400 },
    answer: send('HTTP/1.1 503 x\r\nretry-after: Fri, 31 Dec 9999 23:59:59 GMT\r\ncontent-length: 0\r\n\r\n'),
  },
  'asks for a pause of the past': {
    is: { status: 503, retryAfterSeconds: 0 },
    answer: send('HTTP/1.1 503 x\r\nretry-after: Thu, 01 Jan 1970 00:00:00 GMT\r\ncontent-length: 0\r\n\r\n'),
  },
};

async function open({ answer, isDeaf }: Hostile): Promise<string> {
  const server = createServer((socket) => {
    socket.on('error', () => undefined);
    if (isDeaf) return answer(socket);
    socket.once('data', () => {
      socket.resume();
      answer(socket);
    });
  });
  const sockets = new Set<Socket>();
  server.on('connection', (socket) => sockets.add(socket));
  afterAll(() => {
    server.close();
    for (const socket of sockets) socket.destroy();
  });
  return `http://127.0.0.1:${await listen(server)}/hook`;
}

describe('an endpoint that', () => {
  const client = createEndpointClient({ publicOnly: false, own: [], proxyUrl: undefined });
  const message = (body = '{}') => ({ id: 'f2c0b1f6-6d0a-5b0e-9c58-6a0f3d1f7a11', body, secrets: [newSecret()] });
  const attempts = new Map<string, Attempt & { ms: number }>();
  let grownMib = 0;

  /** All at once, since some take their ten seconds. */
  beforeAll(async () => {
    const urls = await Promise.all(Object.values(endpoints).map(open));
    const before = ownMemory();
    const watching = setInterval(() => {
      grownMib = Math.max(grownMib, (ownMemory() - before) / mib);
    }, 100);
    await Promise.all(
      Object.entries(endpoints).map(async ([name, { body }], index) => {
        const begin = performance.now();
        const attempt = await client.send(urls[index] ?? '', message(body));
        attempts.set(name, { ...attempt, ms: performance.now() - begin });
      }),
    );
    clearInterval(watching);
  }, 60_000);

  it.each(Object.keys(endpoints))('%s is heard for ten seconds at most, and judged by its status', (name) => {
    const attempt = attempts.get(name);
    expect(attempt).toMatchObject(endpoints[name]?.is ?? {});
    expect(attempt?.ms).toBeLessThan(20_000);
    expect(attempt?.failure ?? '').not.toMatch(/\d+\.\d+\.\d+|localhost/);
  });

  it('sends as much as it likes fills no memory', () => {
    expect(grownMib).toBeLessThan(200);
  });

  it('redirects is not followed', () => {
    expect(redirected).toEqual([]);
  });

  it('sends two answers is heard once: the next delivery gets an answer of its own', async () => {
    let requests = 0;
    const url = await open({
      is: accepted,
      answer(socket) {
        const two = () => {
          requests += 1;
          socket.write(`${ok}content-length: 0\r\n\r\n`.repeat(requests === 1 ? 2 : 0));
          if (requests > 1) socket.write('HTTP/1.1 500 x\r\ncontent-length: 0\r\n\r\n');
        };
        two();
        socket.on('data', two);
      },
    });
    expect(await client.send(url, message())).toMatchObject(accepted);
    expect((await client.send(url, message())).failure).toBeDefined();
  });
});
