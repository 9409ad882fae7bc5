import { readFile, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { root } from '../paths.ts';
import { textsOfRoutes } from './texts.ts';

let changed = 0;
for (const [path, text] of Object.entries(await textsOfRoutes())) {
  const before = await readFile(join(root, path), 'utf8').catch(() => undefined);
  if (before === text) continue;
  await writeFile(join(root, path), text);
  console.log(path);
  changed += 1;
}
if (changed === 0) console.log('nothing changed');
