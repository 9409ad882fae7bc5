import { readFile } from 'node:fs/promises';
import { join } from 'node:path';
import { chartReadme, readmePath } from '../../tools/chart/readme.ts';
import { goldenFile, goldenNames, renderGolden } from '../../tools/chart/render.ts';
import { root } from '../../tools/paths.ts';
import { composeFiles } from '../../tools/topology/compose.ts';
import { skaffoldFiles } from '../../tools/topology/skaffold.ts';

/** @throws Error with the difference and the command that takes it over */
function expectWritten(text: string, written: string): void {
  try {
    expect(text).toBe(written);
  } catch (error) {
    const { message } = error as Error;
    throw new Error(`${message}\n\nmake golden writes these files anew, if the change is intended`);
  }
}

it.each(goldenNames)('the %s values render as in the golden file', async (name) => {
  expectWritten(await renderGolden(name), await readFile(goldenFile(name), 'utf8'));
});

it('README.md of the chart has the values and their comments', async () => {
  expectWritten(chartReadme(), await readFile(join(root, readmePath), 'utf8'));
});

it.each(Object.entries(skaffoldFiles()))('%s has the services of the topology', async (path, text) => {
  expectWritten(text, await readFile(join(root, path), 'utf8'));
});

it('the files of Docker Compose have the services of the topology and the configuration of the gateway', async () => {
  for (const [path, text] of Object.entries(await composeFiles()))
    expectWritten(text, await readFile(join(root, path), 'utf8'));
});
