import { once } from 'node:events';
import { type AddressInfo, connect, createServer, type Server, type Socket } from 'node:net';

/**
 * A TCP proxy to the host and port of a URL. On its port it can refuse connections, forward them again, or accept them
 * and stay silent.
 */
export async function createTcpProxy(targetUrl: string) {
  const target = new URL(targetUrl);
  const sockets = new Set<Socket>();
  let server: Server;
  let port = 0;

  async function listen(onConnection: (client: Socket) => void) {
    server = createServer((client) => {
      sockets.add(client.on('error', () => undefined));
      onConnection(client);
    });
    await once(server.listen(port, '127.0.0.1'), 'listening');
    port = (server.address() as AddressInfo).port;
  }
  const forward = (client: Socket) => {
    const upstream = connect(Number(target.port), target.hostname).on('error', () => client.destroy());
    sockets.add(upstream);
    client.pipe(upstream).pipe(client);
    client.on('close', () => upstream.destroy());
  };
  async function close() {
    for (const socket of sockets) socket.destroy();
    sockets.clear();
    await new Promise((resolve) => server.close(resolve));
  }

  await listen(forward);
  const url = new URL(targetUrl);
  url.hostname = '127.0.0.1';
  url.port = String(port);
  return {
    url: url.href,
    /** Cuts all connections and refuses new ones. */
    close,
    open: () => listen(forward),
    /** Accepts connections and never responds. */
    openSilent: () => listen(() => undefined),
  };
}
