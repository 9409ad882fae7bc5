import { once } from 'node:events';
import { createServer, type RequestListener } from 'node:http';
import type { AddressInfo, Server } from 'node:net';
import { until } from './until.ts';

/**
 * Listens on 127.0.0.1, also on a port that was released a moment ago. A process that another thread starts at that time holds a copy
 * of the old socket until it executes its program, so the port stays in use for some milliseconds.
 * @param port default: any free one
 * @returns the port
 */
export async function listen(server: Server, port = 0): Promise<number> {
  await until(`port ${port} is free`, async () => {
    await once(server.listen(port, '127.0.0.1'), 'listening');
    return true;
  });
  return (server.address() as AddressInfo).port;
}

/** Serves on a free port until the file's tests have run. @returns the address */
export async function serve(answer: RequestListener): Promise<string> {
  const server = createServer(answer);
  afterAll(() => new Promise((resolve) => server.close(resolve).closeAllConnections()));
  return `http://127.0.0.1:${await listen(server)}`;
}
