import { readFile } from 'node:fs/promises';
import { join } from 'node:path';
import { textsOfChart } from '../../tools/chart/texts.ts';
import { root } from '../../tools/paths.ts';

it('the files that follow from the chart are as make golden writes them', async () => {
  const texts = await textsOfChart();
  expect(Object.keys(texts)).toContain('tests/chart/golden/prod.yaml');
  for (const [path, expected] of Object.entries(texts)) {
    try {
      expect(await readFile(join(root, path), 'utf8')).toBe(expected);
    } catch (error) {
      const { message } = error as Error;
      throw new Error(`${path}: ${message}\n\nmake golden writes it anew, if the change is intended`);
    }
  }
});
