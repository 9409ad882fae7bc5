import { mkdir, writeFile } from 'node:fs/promises';
import { dirname, join } from 'node:path';
import { root } from '../paths.ts';
import { skaffoldFiles } from '../topology/skaffold.ts';
import { goldenFile, goldenNames, renderGolden } from './render.ts';

// make golden: writes the files that follow from the chart. git diff then shows what a change means for a cluster.

async function write(path: string, text: string): Promise<void> {
  await mkdir(dirname(path), { recursive: true });
  await writeFile(path, text);
  console.log(path);
}

for (const [path, text] of Object.entries(skaffoldFiles())) await write(join(root, path), text);
for (const name of goldenNames) await write(goldenFile(name), await renderGolden(name));
