import { cpSync, mkdtempSync, readdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import koffi from 'koffi';

// Renders like `helm template`, with the native library whose path is its argument, for the parent process. Its own process keeps Go's
// threads, memory and crashes away from the parent.

export interface Options {
  chart: string;
  namespace: string;
  kubeVersion: string;
  valuesFiles: string[];
  values: object;
}

/** The reply to each message of options, in the same order. */
export type Rendered = { text: string } | { error: string };

const hook = 'helm.sh/hook';
const hidden = `hidden.${hook}`;

/**
 * The library omits hooks, and calls a cluster for `lookup`. So it gets a copy of the chart without hook annotations, in which lookups
 * find nothing. Hooks are moved to the end, where Helm has them.
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

/** Types as in helm-linux-*.h, which is next to the library in its artifact. Fields that a call omits are 0 or NULL. */
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
