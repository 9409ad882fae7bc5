import { readFile } from 'node:fs/promises';
import { goldenFile, goldenNames, renderGolden } from '../../tools/chart/render.ts';

// After a change that is meant: make golden, and read the difference.
it.each(goldenNames)('the %s values render what they did', async (name) => {
  expect(await renderGolden(name)).toBe(await readFile(goldenFile(name), 'utf8'));
});
