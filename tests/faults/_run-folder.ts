import { chmod, cp, mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { basename, join } from 'node:path';
import { cacheDir } from '../../tools/paths.ts';

/** A folder for the data and logs of a run. */
export async function createRunFolder(name: string) {
  const dir = await mkdtemp(join(tmpdir(), `store-${name}-`));
  await chmod(dir, 0o711); // started by root, the database server runs as another user
  return {
    dir,
    /** Deletes it. If the run has failed, a copy stays: the temporary folders of all tests are deleted after them. */
    async close(hasFailed: boolean, report: (line: string) => void): Promise<void> {
      if (hasFailed) {
        const kept = join(cacheDir, 'failed-runs', basename(dir));
        await cp(dir, kept, { recursive: true });
        report(`Data and logs are kept in ${kept}`);
      }
      await rm(dir, { recursive: true, force: true });
    },
  };
}
