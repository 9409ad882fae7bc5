import { join, resolve } from 'node:path';
import { execa } from 'execa';
import { provideHelm } from '../local/downloads/helm.ts';
import { root } from '../paths.ts';
import type { Options } from './helm-library.ts';

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
  const [path = chart, ...valuesFiles] = [chart, ...files].map((one) => resolve(root, one));
  const given = [...valuesFiles, '-'].flatMap((file) => ['--values', file]);
  const args = ['template', 'store', path, '--namespace', namespace, '--kube-version', kubeVersion, ...given];
  const options: Options = {
    name: 'store',
    chart: path,
    namespace,
    kubeVersion,
    valuesFiles: valuesFiles.join(),
    values,
  };
  const { stdout, stderr, failed } =
    'library' in helm
      ? await run(process.execPath, [join(root, 'tools/chart/helm-library.ts'), helm.library], options)
      : await run(helm.command, args, values);
  if (failed) throw new Error(stderr);
  return stdout;
}

const run = (command: string, args: string[], input: object) =>
  execa(command, args, { input: JSON.stringify(input), env: { NODE_OPTIONS: '' }, reject: false });
