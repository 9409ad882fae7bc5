import { connect, createServer, type Server, type Socket } from 'node:net';
import { freePort } from '../../tools/free-port.ts';
import { listen } from './listen.ts';

/**
 * What a TCP proxy does to its connections, including open ones:
 * - pass: forward
 * - refuse: cut them, and stop listening
 * - close: cut them, and close new ones at once
 * - silent: forward nothing on them ever again, even after `pass`, like a network that drops packets
 * - http: reply with HTTP in place of the target's next bytes, and close
 * - cut: forward half of the target's next bytes, and close
 */
export type ProxyMode = 'pass' | 'refuse' | 'close' | 'silent' | 'http' | 'cut';

interface ProxyOptions {
  /** Default: any free one. */
  port?: number;
  /** Gets the bytes that a client sends before they are forwarded, and may change the mode. Returns true to silence the connection. */
  onSend?(bytes: Buffer): boolean;
}

const badRequest = 'HTTP/1.1 400 Bad Request\r\ncontent-length: 11\r\nconnection: close\r\n\r\nBad Request';

/** A TCP proxy to the host and port of a URL. Its first mode is `pass`. */
export async function createTcpProxy(targetUrl: string, { port, onSend }: ProxyOptions = {}) {
  // Not chosen by the kernel, which would give the port to another process while the proxy refuses.
  const ownPort = port ?? (await freePort());
  const target = new URL(targetUrl);
  const connections = new Set<{ client: Socket; upstream: Socket; isSilent: boolean }>();
  let mode: ProxyMode = 'pass';
  let server: Server | undefined;
  let affected = 0;

  function accept(client: Socket): void {
    client.on('error', () => undefined);
    if (mode === 'close') {
      affected += 1;
      client.destroy();
      return;
    }
    const upstream = connect(Number(target.port), target.hostname).on('error', () => client.destroy());
    const connection = { client, upstream, isSilent: mode === 'silent' };
    if (connection.isSilent) affected += 1;
    connections.add(connection);
    client.on('data', (bytes: Buffer) => {
      if (onSend?.(bytes)) connection.isSilent = true;
      if (!connection.isSilent) upstream.write(bytes);
    });
    upstream.on('data', (bytes: Buffer) => {
      if (connection.isSilent) return;
      if (mode === 'pass') {
        client.write(bytes);
        return;
      }
      affected += 1;
      client.end(mode === 'http' ? badRequest : bytes.subarray(0, Math.ceil(bytes.length / 2)));
      upstream.destroy();
    });
    // A silent connection also hides from its client that the target has closed it.
    upstream.on('close', () => !connection.isSilent && client.end());
    client.on('close', () => {
      upstream.destroy();
      connections.delete(connection);
    });
  }

  async function open(): Promise<void> {
    if (server !== undefined) return;
    server = createServer({ allowHalfOpen: false }, accept);
    await listen(server, ownPort);
  }

  async function refuse(): Promise<void> {
    const closing = server;
    server = undefined;
    await new Promise((resolve) => (closing === undefined ? resolve(undefined) : closing.close(resolve)));
  }

  async function set(next: ProxyMode): Promise<void> {
    mode = next;
    affected = 0;
    for (const connection of connections) {
      if (next === 'silent') connection.isSilent = true;
      if (next !== 'refuse' && next !== 'close') continue;
      connection.client.destroy();
      connection.upstream.destroy();
    }
    affected += next === 'pass' || next === 'http' || next === 'cut' ? 0 : connections.size;
    await (next === 'refuse' ? refuse() : open());
  }

  await open();
  const url = new URL(targetUrl);
  url.hostname = '127.0.0.1';
  url.port = String(ownPort);
  return {
    url: url.href,
    set,
    /** The number of connections that the current mode has affected. */
    affected: () => affected,
    close: () => set('refuse'),
  };
}
