import { fork } from 'node:child_process';
import { join, resolve } from 'node:path';
import { execa } from 'execa';
import { provideHelm } from '../local/downloads/helm.mjs';
import { root } from '../paths.ts';
import type { Options, Rendered } from './helm-library.ts';

// Helm without a cluster, by its command or its library. Paths are relative to the repository.

/** Default: the oldest version that the chart supports, because Helm's own default may be older. */
const { KUBE_VERSION: kubeVersion = '1.29.0' } = process.env;

/**
 * Renders what `helm install store <chart>` would apply, with hooks at the end.
 * @param values override those of the files
 * @throws Error with Helm's message, if the chart refuses the values
 */
export async function template(chart: string, files: string[] = [], values: object = {}, namespace = 'store') {
  const helm = await provideHelm();
  const [path = chart, ...valuesFiles] = [chart, ...files].map((one) => resolve(root, one));
  if ('library' in helm) {
    renderByLibrary ??= startLibrary(helm.library);
    const rendered = await renderByLibrary({ chart: path, namespace, kubeVersion, valuesFiles, values });
    if ('error' in rendered) throw new Error(rendered.error);
    return rendered.text;
  }
  const given = [...valuesFiles, '-'].flatMap((file) => ['--values', file]);
  const args = ['template', 'store', path, '--namespace', namespace, '--kube-version', kubeVersion, ...given];
  const input = JSON.stringify(values);
  const { stdout, stderr, failed } = await execa(helm.command, args, { input, reject: false });
  if (failed) throw new Error(stderr);
  return stdout;
}

let renderByLibrary: ((options: Options) => Promise<Rendered>) | undefined;

/** Starts the library's process. It stays for later calls, and keeps this process alive only while it renders. */
function startLibrary(library: string): (options: Options) => Promise<Rendered> {
  const env = { ...process.env, NODE_OPTIONS: '', GOGC: '400' }; // collects garbage less often than every few megabytes
  const child = fork(join(root, 'tools/chart/helm-library.ts'), [library], { env, execArgv: [] });
  child.unref();
  const waiting: ((rendered: Rendered) => void)[] = [];
  child.on('message', (rendered: Rendered) => {
    waiting.shift()?.(rendered);
    if (waiting.length === 0) child.channel?.unref();
  });
  child.on('exit', (code, signal) => {
    renderByLibrary = undefined;
    for (const give of waiting.splice(0)) give({ error: `Helm's library exited with ${signal ?? code}.` });
  });
  return (options) =>
    new Promise((give) => {
      waiting.push(give);
      child.channel?.ref();
      child.send(options);
    });
}
