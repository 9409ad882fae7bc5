import { cp, mkdtemp, readFile, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { template } from '../../tools/chart/helm.ts';
import { imagesFile } from '../../tools/chart/render.ts';
import { root } from '../../tools/paths.ts';

type Edits = Record<string, (text: string) => string>;

/** @param edits by path within the chart; the text is '' for a file that is not there */
export async function withEdited<T>(edits: Edits, use: (chart: string) => Promise<T>): Promise<T> {
  const dir = await mkdtemp(join(tmpdir(), 'store-edited-'));
  try {
    await cp(join(root, 'charts/store'), dir, { recursive: true });
    for (const [path, edit] of Object.entries(edits)) {
      const file = join(dir, path);
      await writeFile(file, edit(await readFile(file, 'utf8').catch(() => '')));
    }
    return await use(dir);
  } finally {
    await rm(dir, { recursive: true });
  }
}

/** Renders a copy of the chart with changed files: what a cluster would answer, and what a rendering leaves out. */
export const renderEdited = (edits: Edits, values: object = {}) =>
  withEdited(edits, (chart) => template(chart, [imagesFile], values));
