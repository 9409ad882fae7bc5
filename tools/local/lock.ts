import { createHash } from 'node:crypto';
import { createServer } from 'node:net';

/**
 * Takes the lock of that name, or gives undefined where another process of this machine has it. It is an abstract Unix socket:
 * the kernel releases it however its holder ends, so a lock is never left behind.
 */
export async function tryLock(name: string): Promise<(() => Promise<void>) | undefined> {
  const server = createServer((socket) => socket.destroy());
  const address = `\0store-${createHash('sha256').update(name).digest('hex').slice(0, 32)}`;
  const taken = await new Promise<boolean>((resolve, reject) => {
    server.once('error', (error: NodeJS.ErrnoException) =>
      error.code === 'EADDRINUSE' ? resolve(true) : reject(error),
    );
    server.listen(address, () => resolve(false));
  });
  if (taken) return undefined;
  server.unref();
  return () => new Promise((resolve) => server.close(() => resolve()));
}
