import { type FileHandle, mkdir, open } from 'node:fs/promises';
import { dirname } from 'node:path';
import koffi from 'koffi';

const flock = koffi.load(null).func('int flock(int file, int operation)');
/** LOCK_EX and LOCK_NB of Linux and macOS. */
const exclusiveAtOnce = 2 | 4;

/**
 * Takes the lock of a file, which is created where it is missing and stays. The kernel releases it however the process ends.
 * @returns a function that releases it, or undefined where another process has it
 */
export async function tryLock(path: string): Promise<(() => Promise<void>) | undefined> {
  await mkdir(dirname(path), { recursive: true });
  const file: FileHandle = await open(path, 'a');
  if (flock(file.fd, exclusiveAtOnce) === 0) return () => file.close();
  await file.close();
  return undefined;
}
