import { composeFiles } from '../topology/compose.ts';
import { skaffoldValues } from '../topology/skaffold.ts';
import { goldenText } from './golden-text.ts';
import { chartReadme } from './readme.ts';
import { renderObjects, valuesFiles } from './render.ts';

/** The text of each file that follows from the chart, by its path in the repository. */
export async function textsOfChart(): Promise<Record<string, string>> {
  // The other values files are short enough to show themselves what they change.
  const [defaults, prod] = [await renderObjects(), await renderObjects({}, valuesFiles.prod)];
  return {
    ...skaffoldValues(),
    ...(await composeFiles()),
    ...(await chartReadme()),
    'tests/chart/golden/default.yaml': goldenText(defaults),
    'tests/chart/golden/prod.yaml': goldenText(prod, defaults),
  };
}
