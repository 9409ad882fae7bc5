import { createServer, type RequestListener, Server } from 'node:http';
import type { Logger } from '../observability/log.ts';

/** In bytes: the gateway admits 16 KiB (contract 2.5) and adds headers. */
const maxHeaderSize = 24 * 1024;
const closeTimeoutMs = 15_000;

/** Listens on a port, or logs why it cannot and exits with 1. */
export function listen(target: RequestListener | Server, port: number, host: string, log: Logger): Promise<Server> {
  const server = target instanceof Server ? target : createServer({ maxHeaderSize }, target);
  // Longer than the gateway keeps an idle connection, so that it never sends a request into a closing one.
  server.keepAliveTimeout = 75_000;
  server.requestTimeout = 30_000;
  // Otherwise Node.js answers 417 without a problem. A server may ignore unknown expectations (RFC 9110, 10.1.1).
  server.on('checkExpectation', (req, res) => server.emit('request', req, res));
  return new Promise((resolve) => {
    server.once('error', (error: NodeJS.ErrnoException) => {
      log.fatal({ port, code: error.code }, `Cannot listen on port ${port}: ${error.message}`);
      process.exit(1);
    });
    server.listen(port, host, () => resolve(server));
  });
}

/** Stops accepting connections; resolves when the requests in flight have been answered, or are cut off after 15 s. */
export function close(server: Server): Promise<void> {
  return new Promise((resolve) => {
    // A connection stays open after its last answer, and would keep the process alive.
    const closingIdle = setInterval(() => server.closeIdleConnections(), 50);
    const cuttingOff = setTimeout(() => server.closeAllConnections(), closeTimeoutMs);
    server.close(() => {
      clearInterval(closingIdle);
      clearTimeout(cuttingOff);
      resolve();
    });
  });
}
