import { mkdir, readFile, writeFile } from 'node:fs/promises';
import { dirname, join } from 'node:path';
import { root } from './paths.ts';

type Texts = Record<string, string>;

/** Writes the files whose text has changed, and prints their paths. @param steps texts by path in the repository, written in order */
export async function writeChanged(...steps: (Texts | (() => Promise<Texts>))[]): Promise<void> {
  let changed = 0;
  for (const step of steps) {
    for (const [path, text] of Object.entries(typeof step === 'function' ? await step() : step)) {
      const file = join(root, path);
      if ((await readFile(file, 'utf8').catch(() => undefined)) === text) continue;
      await mkdir(dirname(file), { recursive: true });
      await writeFile(file, text);
      console.log(path);
      changed += 1;
    }
  }
  if (changed === 0) console.log('nothing changed');
}
