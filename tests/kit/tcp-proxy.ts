import { connect, createServer, type Server, type Socket } from 'node:net';
import { freePort } from '../../tools/free-port.ts';
import { listen } from './listen.ts';

/**
 * Faults of a TCP proxy for its connections, those that are open included:
 * - pass: forward
 * - refuse: cut, and listen no longer
 * - close: cut, and close new ones at once
 * - silent: forward nothing any more, not even once it passes again, like a network that drops packets
 * - http: reply with HTTP instead of the next bytes of the target, and close
 * - cut: forward half of the next bytes of the target, and close
 */
export type ProxyMode = 'pass' | 'refuse' | 'close' | 'silent' | 'http' | 'cut';

interface ProxyOptions {
  /** Default: any free one. */
  port?: number;
  /** Sees what a client sends before it is forwarded, and may change the mode. Returns true to silence the connection. */
  onSend?(bytes: Buffer): boolean;
}

const badRequest = 'HTTP/1.1 400 Bad Request\r\ncontent-length: 11\r\nconnection: close\r\n\r\nBad Request';

/** A TCP proxy to the host and port of a URL. It passes at first. */
export async function createTcpProxy(targetUrl: string, { port, onSend }: ProxyOptions = {}) {
  // Not one that the kernel chooses: while the proxy refuses, it would give it to somebody else.
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
    // A silent connection does not tell its client either that the target has closed it.
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
    /** How many connections the mode has affected since it was set. */
    affected: () => affected,
    close: () => set('refuse'),
  };
}
