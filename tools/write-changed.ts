import { mkdir, readFile, writeFile } from 'node:fs/promises';
import { dirname, join } from 'node:path';
import { root } from './paths.ts';

/** Writes the files whose text has changed, and prints their paths. @param texts by path in the repository */
export async function writeChanged(texts: Record<string, string>): Promise<void> {
  let changed = 0;
  for (const [path, text] of Object.entries(texts)) {
    const file = join(root, path);
    if ((await readFile(file, 'utf8').catch(() => undefined)) === text) continue;
    await mkdir(dirname(file), { recursive: true });
    await writeFile(file, text);
    console.log(path);
    changed += 1;
  }
  if (changed === 0) console.log('nothing changed');
}
