import { chmod, mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';

/** A folder for the data and logs of a run. */
export async function createRunFolder(name: string) {
  const dir = await mkdtemp(join(tmpdir(), `store-${name}-`));
  await chmod(dir, 0o711); // started by root, the database server runs as another user
  return {
    dir,
    /** Deletes it, unless the run has failed. */
    async close(hasFailed: boolean, report: (line: string) => void): Promise<void> {
      if (hasFailed) report(`Data and logs are kept in ${dir}`);
      else await rm(dir, { recursive: true, force: true });
    },
  };
}
