import { join } from 'node:path';
import { execa } from 'execa';
import { parseAllDocuments, stringify } from 'yaml';
import { provideHelm } from '../local/downloads/helm.ts';
import { root } from '../paths.ts';

/** The values that come with the store. */
export const valuesFiles: Record<string, string[]> = {
  default: [],
  dev: ['k8s/values-dev.yaml'],
  prod: ['k8s/values-prod.yaml'],
  skaffold: ['k8s/values-dev.yaml', 'k8s/values-skaffold.yaml'],
};

/** Those that are compared with a golden file: what skaffold adds is of one's own development, and in its values file. */
export const goldenNames = ['default', 'dev', 'prod'];

export const goldenFile = (name: string) => join(root, 'tests/chart/golden', `${name}.yaml`);

/** What `helm install store charts/store` would apply. @throws Error with what Helm says, where it refuses the values */
export async function renderChart(files: string[] = [], values: object = {}, namespace = 'store'): Promise<string> {
  const args = [...files, '-'].flatMap((file) => ['--values', file]);
  const { stdout, stderr, failed } = await execa(
    await provideHelm(),
    ['template', 'store', 'charts/store', '--namespace', namespace, ...args],
    { cwd: root, input: JSON.stringify(values), reject: false },
  );
  if (failed) throw new Error(stderr);
  return stdout;
}

/** The same for every rendering: without what is generated. */
export async function renderGolden(name: string): Promise<string> {
  const documents = parseAllDocuments(await renderChart(valuesFiles[name]));
  return documents
    .map((document) => {
      const manifest = document.toJS();
      if (manifest.kind === 'Secret') {
        for (const key of Object.keys(manifest.data)) manifest.data[key] = '(generated)';
      }
      return stringify(manifest, { lineWidth: 0, aliasDuplicateObjects: false });
    })
    .join('---\n');
}
