import { once } from 'node:events';
import { createServer, type IncomingMessage } from 'node:http';
import { createServer as createHttpsServer } from 'node:https';
import { buffer } from 'node:stream/consumers';
import { listen } from '../kit/listen.ts';

/** A received request. */
export interface Seen {
  service: string;
  method: string;
  path: string;
  /** The raw lines of the headers and of the trailers. */
  lines: string[];
  headers: Record<string, string>;
  body: string;
}

/** The bytes of the response, no response at all, or a closed connection. */
export type Reply = string | 'silence' | 'hang-up';
type Answer = (seen: Seen) => Reply | Promise<Reply>;

export type Upstream = Awaited<ReturnType<typeof startUpstream>>;

export const reply = (status: number, headers: string[] = [], body = '') =>
  [`HTTP/1.1 ${status} Whatever`, ...headers, `content-length: ${body.length}`, '', body].join('\r\n');

/** A fake upstream on a free port. It records every request and responds as the test specifies. */
export async function startUpstream(
  service: string,
  { seen = [], certificate }: { seen?: Seen[]; certificate?: { key: string; cert: string } } = {},
) {
  const usual: Answer = () => reply(200, [`x-service: ${service}`]);
  let answer = usual;

  async function serve(request: IncomingMessage): Promise<void> {
    const body = await buffer(request).catch(() => undefined);
    if (body === undefined) return; // the request was aborted
    const { method = '', url: path = '', rawHeaders, rawTrailers, headers, socket } = request;
    const fields = [...rawHeaders, ...rawTrailers];
    const lines = fields.flatMap((name, n) => (n % 2 === 0 ? `${name}: ${fields[n + 1]}` : []));
    const received = {
      service,
      method,
      path,
      lines,
      headers: headers as Seen['headers'],
      body: body.toString('latin1'),
    };
    seen.push(received);
    const bytes = await answer(received);
    if (bytes === 'hang-up') socket.destroy();
    else if (bytes !== 'silence') socket.write(bytes, 'latin1'); // bypasses node:http, because the bytes need not be HTTP
  }

  const options = { maxHeaderSize: 65_536, joinDuplicateHeaders: true };
  const server = certificate ? createHttpsServer({ ...options, ...certificate }, serve) : createServer(options, serve);
  const port = await listen(server.unref());
  return {
    port,
    seen,
    /** Without an argument, restores the first answer. */
    answer(given: Reply | Answer = usual) {
      answer = typeof given === 'function' ? given : () => given;
    },
    async down() {
      const closed = once(server.close(), 'close');
      server.closeAllConnections();
      await closed;
    },
    up: () => listen(server, port),
  };
}
