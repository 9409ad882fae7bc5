import { readFile } from 'node:fs/promises';
import { goldenFile, renderGolden, valuesFiles } from '../../tools/cluster/render.ts';

// After a change that is meant: make golden, and read the difference.
it.each(Object.keys(valuesFiles))('the %s values render what they did', async (name) => {
  expect(await renderGolden(name)).toBe(await readFile(goldenFile(name), 'utf8'));
});
