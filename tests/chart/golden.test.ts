import { readFile } from 'node:fs/promises';
import { join } from 'node:path';
import { goldenFile, goldenNames, renderGolden } from '../../tools/chart/render.ts';
import { root } from '../../tools/paths.ts';
import { skaffoldFiles } from '../../tools/topology/skaffold.ts';

// After an intended change: make golden, and review the difference.

it.each(goldenNames)('the %s values render as in the golden file', async (name) => {
  expect(await renderGolden(name)).toBe(await readFile(goldenFile(name), 'utf8'));
});

it.each(Object.entries(skaffoldFiles()))('%s has the services of the topology', async (path, text) => {
  expect(await readFile(join(root, path), 'utf8')).toBe(text);
});
