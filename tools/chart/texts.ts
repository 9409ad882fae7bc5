import { composeFiles } from '../topology/compose.ts';
import { skaffoldFiles } from '../topology/skaffold.ts';
import { chartReadme, readmePath } from './readme.ts';
import { goldenFile, goldenNames, renderGolden } from './render.ts';

/** The text of each file that follows from the chart, by its path in the repository. */
export async function textsOfChart(): Promise<Record<string, string>> {
  const golden = goldenNames.map(async (name) => [goldenFile(name), await renderGolden(name)]);
  const written = { ...skaffoldFiles(), ...(await composeFiles()), [readmePath]: await chartReadme() };
  return { ...written, ...Object.fromEntries(await Promise.all(golden)) };
}
