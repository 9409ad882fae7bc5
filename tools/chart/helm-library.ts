import { cpSync, mkdtempSync, readdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import koffi from 'koffi';

// Renders what `helm template` does, by the native library whose path is its argument, for the process that has forked this one.
// A process of its own keeps Go's threads, memory and faults away from others.

export interface Options {
  chart: string;
  namespace: string;
  kubeVersion: string;
  valuesFiles: string[];
  values: object;
}

/** The reply to options, in their order. */
export type Rendered = { text: string } | { error: string };

const hook = 'helm.sh/hook';
const hidden = `hidden.${hook}`;

/**
 * The library leaves hooks out and asks a cluster for what a template looks up, so it gets a copy of the chart in which
 * nothing is a hook, and nothing is found. Hooks are put where Helm has them: at the end.
 */
function render(dir: string, { values, valuesFiles, ...options }: Options): Rendered {
  const chart = join(dir, 'chart');
  cpSync(options.chart, chart, { recursive: true });
  editTemplates(chart);
  const given = join(dir, 'values.json');
  writeFileSync(given, JSON.stringify(values));
  const files = [...valuesFiles, given].join();
  const { out, err } = renderByLibrary({ ...options, name: 'store', chart, valuesFiles: files });
  if (err) return { error: err };
  const documents: string[] = out.split(/^(?=---\n)/m);
  const isHook = (document: string) => document.includes(hidden);
  const sorted = [...documents.filter((one) => !isHook(one)), ...documents.filter(isHook)];
  return { text: sorted.join('').replaceAll(hidden, hook) };
}

function editTemplates(chart: string): void {
  for (const file of readdirSync(chart, { recursive: true, encoding: 'utf8' })) {
    if (!/(^|\/)templates\/.+\.(yaml|tpl|txt)$/.test(file)) continue;
    const template = readFileSync(join(chart, file), 'utf8');
    const edited = template.replaceAll(hook, hidden).replaceAll(/\blookup (?=["$.(])/g, 'omit (dict) ');
    if (edited !== template) writeFileSync(join(chart, file), edited);
  }
}

/** Types as in helm-linux-*.h, which lies beside the library in its artifact. What a call leaves out is 0 or NULL. */
function load(path: string) {
  koffi.struct('Result', { out: 'str', err: 'str', stdOut: 'str', stdErr: 'str' });
  const fields = (type: string, ...names: string[]) => Object.fromEntries(names.map((name) => [name, type]));
  koffi.struct('TemplateOptions', {
    ...fields('str', 'name', 'version', 'chart', 'namespace', 'kubeVersion'),
    ...fields('int', 'dependencyUpdate', 'skipCRDs'),
    ...fields('str', 'values', 'setFiles', 'valuesFiles', 'certFile', 'keyFile', 'caFile'),
    ...fields('int', 'insecureSkipTlsVerify', 'plainHttp'),
    keyring: 'str',
    debug: 'int',
    repositoryConfig: 'str',
  });
  return koffi.load(path).func('Result Template(TemplateOptions *options)');
}

const renderByLibrary = load(String(process.argv[2]));
process.on('message', (options: Options) => {
  const dir = mkdtempSync(join(tmpdir(), 'store-'));
  try {
    process.send?.(render(dir, options));
  } catch (error) {
    process.send?.({ error: (error as Error).message });
  } finally {
    rmSync(dir, { recursive: true });
  }
});
