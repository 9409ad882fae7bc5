import { resolve } from 'node:path';
import { execa } from 'execa';
import { provideHelm } from '../local/downloads/helm.ts';
import { root } from '../paths.ts';
import { templateByLibrary } from './library-template.ts';

// Helm as this repository needs it without a cluster, from the command or from the library. Paths are relative to the
// repository.

/** By default the oldest that the chart takes: that of a Helm may be older still. */
const { KUBE_VERSION: kubeVersion = '1.29.0' } = process.env;

/**
 * Renders what `helm install store <chart>` would apply, hooks at the end.
 * @param values override those of the files
 * @throws Error with Helm's message, if the chart refuses the values
 */
export async function template(chart: string, files: string[] = [], values: object = {}, namespace = 'store') {
  const helm = await provideHelm();
  const paths = [chart, ...files].map((path) => resolve(root, path));
  const [chartPath = chart, ...valuesFiles] = paths;
  if ('library' in helm) {
    const options = { name: 'store', namespace, kubeVersion, valuesFiles: valuesFiles.join() };
    return templateByLibrary(helm.library, chartPath, values, options);
  }
  const given = [...valuesFiles, '-'].flatMap((file) => ['--values', file]);
  const args = ['template', 'store', chartPath, '--namespace', namespace, '--kube-version', kubeVersion, ...given];
  const { stdout, stderr, failed } = await execa(helm.command, args, { input: JSON.stringify(values), reject: false });
  if (failed) throw new Error(stderr);
  return stdout;
}
