import { mkdir, writeFile } from 'node:fs/promises';
import { dirname } from 'node:path';
import { goldenFile, renderGolden, valuesFiles } from './render.ts';

// make golden: writes what the chart renders now; git diff shows what that changes in a cluster.

for (const name of Object.keys(valuesFiles)) {
  const file = goldenFile(name);
  await mkdir(dirname(file), { recursive: true });
  await writeFile(file, await renderGolden(name));
  console.log(file);
}
