import { createHash } from 'node:crypto';
import { mkdir, readdir, readFile, rm } from 'node:fs/promises';
import { join } from 'node:path';
import { execa } from 'execa';
import { packages, withPip } from './pypi.ts';

/** Copies artifacts and what they depend on into a folder. jgo resolves them as Maven does, without Java. */
const program = `
import concurrent.futures, shutil, sys, jgo
endpoint, folder = sys.argv[1:]
with concurrent.futures.ThreadPoolExecutor(8) as pool:
    for jar in pool.map(lambda artifact: artifact.resolve(), jgo.resolve(endpoint)):
        shutil.copy(jar, folder)
`;

/**
 * Downloads artifacts of Maven Central, and what they depend on, into `libs` below a folder.
 * @param artifacts each <group>:<artifact>:<version>
 * @param sha256 the digest of the names and contents of all jars
 */
export async function installJars(dir: string, artifacts: string[], sha256?: string): Promise<void> {
  const libs = join(dir, 'libs');
  await mkdir(libs);
  await withPip(dir, async (install, python) => {
    await install(['jgo==2.0.1']); // the last one for Python 3.9, which macOS has
    const env = { PYTHONPATH: join(dir, packages), M2_REPO: join(dir, 'repository') };
    // With ! an artifact does not manage the versions of what the others depend on.
    const endpoint = artifacts.map((artifact) => `${artifact}!`).join('+');
    const { failed, stderr } = await execa(python, ['-c', program, endpoint, libs], { env, reject: false });
    if (failed) throw new Error(stderr.trim().split('\n').at(-1));
  });
  for (const temporary of [packages, 'repository']) await rm(join(dir, temporary), { recursive: true });
  const found = createHash('sha256');
  for (const jar of (await readdir(libs)).sort()) found.update(jar).update(await readFile(join(libs, jar)));
  const digest = found.digest('hex');
  if (sha256 && digest !== sha256) throw new Error(`the jars have the wrong digest (SHA-256 ${digest})`);
}
