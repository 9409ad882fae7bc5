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
 * Takes the lock of a file, which is created where it is missing and stays. The kernel releases it however the process ends.
 * @returns a function that releases it, or undefined where another process has it
 */
export const tryLock = (path: string) => take(path, exclusive | atOnce);

/** Takes such a lock as soon as no other process has it. @returns a function that releases it */
export async function lock(path: string): Promise<() => Promise<void>> {
  const unlock = await take(path, exclusive);
  if (unlock === undefined) throw new Error(`${path} cannot be locked.`);
  return unlock;
}
