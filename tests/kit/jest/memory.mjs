import { chmodSync, existsSync, mkdirSync, readdirSync, readFileSync, rmSync, statfsSync } from 'node:fs';
import { join } from 'node:path';
import { afterTests } from './shared.mjs';

const memory = '/dev/shm';
const prefix = 'store-tests-';
const neededBytes = 4 * 2 ** 30;

/**
 * Makes tests keep their temporary files in memory if Linux has room: they create and delete thousands of databases and logs, which
 * costs a disk's file system more than the tests themselves. Set TMPDIR to use another folder.
 */
export function keepFilesInMemory() {
  if (process.env.TMPDIR || !hasRoom()) return;
  for (const name of readdirSync(memory).filter(isLeft)) remove(name);
  const own = `${prefix}${process.pid}`;
  mkdirSync(join(memory, own));
  chmodSync(join(memory, own), 0o711); // started by root, PostgreSQL runs as another user
  process.env.TMPDIR = join(memory, own);
  afterTests(() => remove(own));
}

/** Also false if the folder is mounted noexec, as in some containers: tests start programs from there. */
function hasRoom() {
  const mounts = existsSync('/proc/mounts') ? readFileSync('/proc/mounts', 'utf8') : '';
  const options = new RegExp(`^\\S+ ${memory} tmpfs (\\S+)`, 'm').exec(mounts)?.[1].split(',') ?? ['noexec'];
  if (options.includes('noexec')) return false;
  const { bavail, bsize } = statfsSync(memory);
  return Math.min(bavail * bsize, process.availableMemory()) > neededBytes;
}

/** True if a killed run left the folder behind. */
const isLeft = (name) => name.startsWith(prefix) && !existsSync(`/proc/${name.slice(prefix.length)}`);

const remove = (name) => rmSync(join(memory, name), { recursive: true, force: true });
