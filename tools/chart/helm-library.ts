import { cp, readdir, readFile, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { text } from 'node:stream/consumers';
import koffi from 'koffi';
import { withFolder } from '../with-folder.ts';

// Prints what `helm template` does, by the native library whose path is its argument; the options are JSON on standard input.
// A process of its own keeps Go's threads, memory and faults away from others.

/** The options of the library's function that are used here. */
export interface Options {
  name: string;
  chart: string;
  namespace: string;
  kubeVersion: string;
  /** Paths, separated by commas. */
  valuesFiles: string;
  values: object;
}

const hook = 'helm.sh/hook';
const hidden = `hidden.${hook}`;

/**
 * The library leaves hooks out and asks a cluster for what a template looks up, so it gets a copy of the chart in which
 * nothing is a hook, and nothing is found. Hooks are put where Helm has them: at the end.
 */
async function render(dir: string, { values, ...options }: Options): Promise<string> {
  const chart = join(dir, 'chart');
  await cp(options.chart, chart, { recursive: true });
  await editTemplates(chart);
  const given = join(dir, 'values.json');
  await writeFile(given, JSON.stringify(values));
  const valuesFiles = [options.valuesFiles, given].filter(Boolean).join();
  const { out, err } = load(String(process.argv[2]))({ ...options, chart, valuesFiles });
  if (err) throw new Error(err);
  const documents: string[] = out.split(/^(?=---\n)/m);
  const isHook = (document: string) => document.includes(hidden);
  const sorted = [...documents.filter((one) => !isHook(one)), ...documents.filter(isHook)];
  return sorted.join('').replaceAll(hidden, hook);
}

async function editTemplates(chart: string): Promise<void> {
  for (const file of await readdir(chart, { recursive: true })) {
    if (!/(^|\/)templates\/.+\.(yaml|tpl|txt)$/.test(file)) continue;
    const template = await readFile(join(chart, file), 'utf8');
    const edited = template.replaceAll(hook, hidden).replaceAll(/\blookup (?=["$.(])/g, 'omit (dict) ');
    await writeFile(join(chart, file), edited);
  }
}

/** Types as in helm-linux-*.h, which lies beside the library in its artifact. What a call leaves out is 0 or NULL. */
function load(path: string) {
  koffi.struct('Result', { out: 'str', err: 'str', stdOut: 'str', stdErr: 'str' });
  koffi.struct('TemplateOptions', {
    name: 'str',
    version: 'str',
    chart: 'str',
    namespace: 'str',
    kubeVersion: 'str',
    dependencyUpdate: 'int',
    skipCRDs: 'int',
    values: 'str',
    setFiles: 'str',
    valuesFiles: 'str',
    certFile: 'str',
    keyFile: 'str',
    caFile: 'str',
    insecureSkipTlsVerify: 'int',
    plainHttp: 'int',
    keyring: 'str',
    debug: 'int',
    repositoryConfig: 'str',
  });
  return koffi.load(path).func('Result Template(TemplateOptions *options)');
}

try {
  const options: Options = JSON.parse(await text(process.stdin));
  process.stdout.write(await withFolder((dir) => render(dir, options)));
} catch (error) {
  console.error((error as Error).message);
  process.exitCode = 1;
}
