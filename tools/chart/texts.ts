import { join } from 'node:path';
import { root } from '../paths.ts';
import { composeFiles } from '../topology/compose.ts';
import { skaffoldValues } from '../topology/skaffold.ts';
import { type Golden, goldenText } from './golden-text.ts';
import { chartReadme } from './readme.ts';
import { renderObjects, valuesFiles } from './render.ts';
import { chartSchemas } from './schema.ts';

const presets = 'charts/store/presets';
const prod = valuesFiles.prod ?? [];

/** The values files of each golden file, and the base that it shows the difference to. */
const goldens: Record<string, { files: string[]; base?: string }> = {
  default: { files: [] },
  dev: { files: valuesFiles.dev ?? [], base: 'default' },
  strimzi: { files: valuesFiles.strimzi ?? [], base: 'dev' },
  prod: { files: prod, base: 'default' },
  'prod-20': { files: [...prod, `${presets}/prod-20.yaml`], base: 'prod' },
  'prod-100': { files: [...prod, `${presets}/prod-100.yaml`], base: 'prod' },
  'prod-1000': { files: [...prod, `${presets}/prod-1000.yaml`], base: 'prod' },
  stripe: { files: [...prod, `${presets}/stripe.yaml`], base: 'prod' },
  'cloudnative-pg': { files: [...prod, `${presets}/cloudnative-pg.yaml`], base: 'prod' },
};

/** Renders presets even if a new service needs more connections than they have, which tests/chart/databases/cloudnative-pg reports. */
export const renderPresets = (files: string[]) =>
  renderObjects({}, files).catch((error: Error) => {
    if (!error.message.includes('cloudnativePg.settings.max_connections')) throw error;
    return renderObjects({ database: { cloudnativePg: { settings: { max_connections: '2000' } } } }, files);
  });

async function goldenTexts(): Promise<Record<string, string>> {
  const rendered = new Map<string, Golden>();
  const texts: Record<string, string> = {};
  for (const [name, { files, base }] of Object.entries(goldens)) {
    const golden = { name, files, objects: await renderPresets(files) };
    rendered.set(name, golden);
    texts[`tests/chart/golden/${name}.yaml`] = goldenText(golden, base ? rendered.get(base) : undefined);
  }
  return texts;
}

/** The schemas of the values, by their path in the repository. */
export async function schemaTexts(): Promise<Record<string, string>> {
  const schemas = Object.entries(await chartSchemas(join(root, 'charts/store')));
  return Object.fromEntries(schemas.map(([path, text]) => [`charts/store/${path}`, text]));
}

/** The text of each file that follows from the chart, by its path in the repository. */
export async function textsOfChart(): Promise<Record<string, string>> {
  return {
    ...skaffoldValues(),
    ...(await composeFiles()),
    ...(await chartReadme()),
    ...(await schemaTexts()),
    ...(await goldenTexts()),
  };
}
