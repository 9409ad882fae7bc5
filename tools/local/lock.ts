import { createHash } from 'node:crypto';
import { once } from 'node:events';
import { createServer } from 'node:net';
import { promisify } from 'node:util';

/**
 * Takes a lock that all processes of this machine share. It is an abstract Unix socket, which the kernel releases however
 * the process ends. @returns a function that releases it, or undefined where another process has it
 */
export async function tryLock(name: string): Promise<(() => Promise<void>) | undefined> {
  const server = createServer((socket) => socket.destroy());
  server.listen(`\0store-${createHash('sha256').update(name).digest('hex').slice(0, 32)}`);
  try {
    await once(server, 'listening');
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code === 'EADDRINUSE') return undefined;
    throw error;
  }
  server.unref();
  return promisify(server.close.bind(server));
}
