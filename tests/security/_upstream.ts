import { once } from 'node:events';
import { createServer, type Server, type Socket } from 'node:net';
import { createServer as createTlsServer } from 'node:tls';
import { parseHead } from './_raw.ts';

/** A request as it was received. */
export interface Seen {
  service: string;
  method: string;
  path: string;
  /** The raw header lines. */
  lines: string[];
  headers: Record<string, string>;
  body: string;
}

/** The bytes to respond with, at once or later, no response at all, or a closed connection. */
export type Reply = string | Promise<string> | 'silence' | 'hang-up';

export interface Upstream {
  port: number;
  answer(reply: Reply | ((seen: Seen) => Reply)): void;
  down(): Promise<void>;
  up(): Promise<void>;
}

export const reply = (status: number, headers: string[] = [], body = '') =>
  [`HTTP/1.1 ${status} Whatever`, ...headers, `content-length: ${body.length}`, '', body].join('\r\n');

/** A fake upstream on a free port. It records every request and responds as the test wants. */
export async function startUpstream(
  service: string,
  record: (seen: Seen) => void,
  certificate?: { key: string; cert: string },
): Promise<Upstream> {
  let answer: (seen: Seen) => Reply = () => reply(200, [`x-service: ${service}`]);
  const sockets = new Set<Socket>();

  function serve(socket: Socket) {
    let received = '';
    sockets.add(socket);
    socket.on('error', () => undefined);
    socket.on('close', () => sockets.delete(socket));
    socket.on('data', (chunk) => {
      received += chunk.toString('latin1');
      for (let next = takeRequest(received, service); next; next = takeRequest(received, service)) {
        received = next.rest;
        record(next.seen);
        const bytes = answer(next.seen);
        if (bytes === 'hang-up') socket.destroy();
        else if (bytes instanceof Promise) bytes.then((later) => socket.write(later, 'latin1'));
        else if (bytes !== 'silence') socket.write(bytes, 'latin1');
      }
    });
  }

  const listen = async (port: number): Promise<Server> => {
    const server = certificate ? createTlsServer(certificate, serve) : createServer(serve);
    server.listen(port, '127.0.0.1');
    server.unref(); // a test that fails before it stops the server must not hang
    await once(server, 'listening');
    return server;
  };
  let server = await listen(0);
  const address = server.address();
  if (address === null || typeof address === 'string') throw new Error('no port');
  const { port } = address;

  return {
    port,
    answer: (given) => {
      answer = typeof given === 'function' ? given : () => given;
    },
    down: async () => {
      const closed = once(server, 'close');
      server.close();
      for (const socket of sockets) socket.destroy();
      await closed;
    },
    up: async () => {
      server = await listen(port);
    },
  };
}

function takeRequest(received: string, service: string): { seen: Seen; rest: string } | undefined {
  const end = received.indexOf('\r\n\r\n');
  if (end < 0) return undefined;
  const { firstLine, lines, headers } = parseHead(received.slice(0, end));
  const [method = '', path = ''] = firstLine.split(' ');
  const after = received.slice(end + 4);
  const chunked = headers['transfer-encoding'] !== undefined;
  const bodyEnd = chunked ? after.search(/0\r\n(?:.+\r\n)*\r\n/) : Number(headers['content-length'] ?? 0);
  if (bodyEnd < 0 || after.length < bodyEnd) return undefined;
  const length = chunked ? (after.slice(bodyEnd).match(/^0\r\n(?:.+\r\n)*\r\n/)?.[0].length ?? 0) + bodyEnd : bodyEnd;
  const seen = { service, method, path, lines, headers, body: after.slice(0, length) };
  return { seen, rest: after.slice(length) };
}
