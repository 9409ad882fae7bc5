import { once } from 'node:events';
import { type ClientHttp2Session, constants } from 'node:http2';
import { connect, type Socket } from 'node:net';
import { setTimeout as wait } from 'node:timers/promises';

export type Flood = Awaited<ReturnType<typeof flood>>;

/**
 * Opens connections that each send these bytes and no more.
 * @param options reads: false leaves the answers unread; addresses: how many addresses, used by no other client, the connections come from
 */
export async function flood(port: number, count: number, bytes: string, { reads = true, addresses = 1 } = {}) {
  const sockets: Socket[] = [];
  const answers: Record<number, number> = {};
  for (let n = 0; n < count; n += 1) {
    const localAddress = addresses === 1 ? '127.0.0.1' : `127.0.1.${1 + (n % addresses)}`;
    const socket = connect({ port, host: '127.0.0.1', localAddress }).on('error', () => undefined);
    sockets.push(socket);
    if (bytes !== '') socket.write(bytes);
    if (reads) {
      socket.once('data', (data) => {
        const status = Number(data.toString('latin1', 9, 12));
        answers[status] = (answers[status] ?? 0) + 1;
      });
      socket.resume();
    }
    if (n % 100 === 99) await wait(1); // lets the connections open
  }
  return {
    /** First answers by status. */
    answers,
    /** The number of connections that the gateway has closed. */
    closed: () => sockets.filter((socket) => socket.closed).length,
    /** True if all bytes have left the client or the gateway has closed the connection. */
    isSent: () => sockets.every((socket) => socket.destroyed || (!socket.connecting && socket.writableLength === 0)),
    stop() {
      for (const socket of sockets) socket.destroy();
    },
  };
}

/**
 * The status that a client at 127.0.0.2 gets on a new connection. No flood comes from that address.
 * @param rest returns what to send after the first bytes
 * @throws Error if the connection is closed without an answer, or nothing arrives within 10 s
 */
export async function askAsOther(port: number, request: string, rest?: () => Promise<string>): Promise<number> {
  const socket = connect({ port, host: '127.0.0.1', localAddress: '127.0.0.2' });
  socket.on('error', () => undefined); // the loop below throws the error
  try {
    socket.setTimeout(10_000, () => socket.destroy(new Error('nothing arrived within 10 s')));
    await new Promise((resolve) => socket.write(request, resolve));
    if (rest) socket.write(await rest());
    for await (const data of socket) return Number(data.toString('latin1', 9, 12));
    throw new Error('the connection was closed without an answer');
  } finally {
    socket.destroy();
  }
}

/**
 * Opens HTTP/2 connections with many streams each. The streams send these bytes of a body and no more, or a whole request without a body.
 * @param open opens a connection
 * @param options resets: cancels each stream at once and opens the next (CVE-2023-44487)
 */
export async function floodHttp2(
  open: () => ClientHttp2Session,
  { sessions: count, streams, resets = false }: { sessions: number; streams: number; resets?: boolean },
  headers: Record<string, string>,
  body = '',
) {
  const sessions: ClientHttp2Session[] = [];
  for (let n = 0; n < count; n += 1) {
    const session = open().on('error', () => undefined);
    sessions.push(session);
    await once(session, 'remoteSettings');
    for (let m = 0; m < streams && !session.closed && !session.destroyed; m += 1) {
      const stream = session.request(headers, { endStream: false });
      stream.on('error', () => undefined);
      stream.resume();
      if (resets) stream.close(constants.NGHTTP2_CANCEL);
      else if (body === '') stream.end();
      else stream.write(body);
      if (m % 50 === 49) await wait(1); // lets the frames leave
    }
  }
  return {
    /** The number of sessions that the gateway has closed. */
    closed: () => sessions.filter((session) => session.destroyed).length,
    stop() {
      for (const session of sessions) session.destroy();
    },
  };
}
