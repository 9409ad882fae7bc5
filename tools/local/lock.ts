import { mkdir, open } from 'node:fs/promises';
import { dirname } from 'node:path';
import koffi from 'koffi';

const flock = koffi.load(null).func('int flock(int file, int operation)');
/** LOCK_EX | LOCK_NB of Linux and macOS. */
const exclusiveAtOnce = 6;

/**
 * Locks a file, which is created if it is missing and is not removed. The kernel releases the lock when the process ends in any way.
 * @returns a function that releases the lock, or undefined if another process holds it
 */
export async function tryLock(path: string): Promise<(() => Promise<void>) | undefined> {
  await mkdir(dirname(path), { recursive: true });
  const file = await open(path, 'a');
  if (flock(file.fd, exclusiveAtOnce) === 0) return () => file.close();
  await file.close();
  return undefined;
}
