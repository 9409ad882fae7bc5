import { resolve } from 'node:path';
import { execa } from 'execa';
import { provideHelm } from '../local/downloads/helm.ts';
import { root } from '../paths.ts';

/** By default the oldest that the chart takes: that of a Helm may be older still. */
const { KUBE_VERSION: kubeVersion = '1.29.0' } = process.env;

/**
 * Renders what `helm install store <chart>` would apply, hooks at the end, without a cluster.
 * @param chart with its values files by their paths in the repository
 * @param values override those of the files
 * @throws Error with Helm's message, if the chart refuses the values
 */
export async function template(chart: string, files: string[] = [], values: object = {}, namespace = 'store') {
  const [helm = '', ...first] = await provideHelm();
  const given = [...files.map((file) => resolve(root, file)), '-'].flatMap((file) => ['--values', file]);
  const options = ['--namespace', namespace, '--kube-version', kubeVersion, ...given];
  const args = [...first, 'template', 'store', resolve(root, chart), ...options];
  // A test runner's options are not meant for the program of the library; GOGC makes it collect garbage less often.
  const env = { NODE_OPTIONS: '', GOGC: '400' };
  const { stdout, stderr, failed } = await execa(helm, args, { input: JSON.stringify(values), env, reject: false });
  if (failed) throw new Error(stderr);
  return stdout;
}
