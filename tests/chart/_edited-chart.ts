import { cp, readFile, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { root } from '../../tools/paths.ts';
import { withFolder } from '../../tools/with-folder.ts';

export type Edit = (text: string) => string;

/** Uses a copy of the chart with edited files. @param edits by path within the chart; an edit gets '' if the file does not exist */
export const withEdited = <T>(edits: Record<string, Edit>, use: (chart: string) => Promise<T>): Promise<T> =>
  withFolder(async (dir) => {
    await cp(join(root, 'charts/store'), dir, { recursive: true });
    for (const [path, edit] of Object.entries(edits)) {
      const file = join(dir, path);
      await writeFile(file, edit(await readFile(file, 'utf8').catch(() => '')));
    }
    return use(dir);
  });
