import { mkdir, writeFile } from 'node:fs/promises';
import { dirname } from 'node:path';
import { goldenFile, goldenNames, renderGolden } from './render.ts';

// make golden: writes what the chart renders now; git diff shows what that changes in a cluster.

for (const name of goldenNames) {
  const file = goldenFile(name);
  await mkdir(dirname(file), { recursive: true });
  await writeFile(file, await renderGolden(name));
  console.log(file);
}
