import { mkdir, open } from 'node:fs/promises';
import { dirname } from 'node:path';
import { promisify } from 'node:util';
import koffi from 'koffi';

const flock = koffi.load(null).func('int flock(int file, int operation)');
/** LOCK_EX and LOCK_NB of Linux and macOS. */
const [exclusive, atOnce] = [2, 4];

async function take(path: string, operation: number): Promise<(() => Promise<void>) | undefined> {
  await mkdir(dirname(path), { recursive: true });
  const file = await open(path, 'a');
  if ((await promisify(flock.async)(file.fd, operation)) === 0) return () => file.close();
  await file.close();
  return undefined;
}

/**
 * Locks a file, which is created if it is missing and is not removed. The kernel releases the lock when the process ends in any way.
 * @returns a function that releases the lock, or undefined if another process holds it
 */
export const tryLock = (path: string) => take(path, exclusive | atOnce);

/** Takes the same lock, but waits while another process holds it. @returns a function that releases it */
export async function lock(path: string): Promise<() => Promise<void>> {
  const unlock = await take(path, exclusive);
  if (unlock === undefined) throw new Error(`${path} cannot be locked.`);
  return unlock;
}
