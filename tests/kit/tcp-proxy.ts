import { once } from 'node:events';
import { type AddressInfo, connect, createServer, type Server, type Socket } from 'node:net';

/** A TCP connection to a database that can be cut and joined again, at one port. */
export async function createTcpProxy(databaseUrl: string) {
  const target = new URL(databaseUrl);
  const sockets = new Set<Socket>();
  let server: Server;
  let port = 0;

  async function open(join: (client: Socket) => void) {
    server = createServer((client) => {
      sockets.add(client.on('error', () => undefined));
      join(client);
    });
    await once(server.listen(port, '127.0.0.1'), 'listening');
    port = (server.address() as AddressInfo).port;
  }
  const through = (client: Socket) => {
    const database = connect(Number(target.port), target.hostname).on('error', () => client.destroy());
    sockets.add(database);
    client.pipe(database).pipe(client);
    client.on('close', () => database.destroy());
  };
  async function close() {
    for (const socket of sockets) socket.destroy();
    sockets.clear();
    await new Promise((resolve) => server.close(resolve));
  }

  await open(through);
  const url = new URL(databaseUrl);
  url.port = String(port);
  return {
    url: url.href,
    close,
    open: () => open(through),
    /** Takes connections and never says a word. */
    openMute: () => open(() => undefined),
  };
}
