import { cpSync, mkdtempSync, readdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { parseArgs } from 'node:util';
import koffi from 'koffi';

// Does what `helm template` does, by the native library whose path comes first. Values are read from standard input too.

const hook = 'helm.sh/hook';
const hidden = `hidden.${hook}`;

/**
 * The library leaves hooks out and asks a cluster for what a template looks up, so it gets a copy of the chart in which
 * nothing is a hook, and nothing is found. Hooks are put where Helm has them: at the end.
 */
function render(dir: string): string {
  const string = { type: 'string' } as const;
  const options = { namespace: string, 'kube-version': string, values: { ...string, multiple: true } } as const;
  const { values: given, positionals } = parseArgs({ args: process.argv.slice(3), options, allowPositionals: true });
  const [, name, source = ''] = positionals;
  const chart = join(dir, 'chart');
  cpSync(source, chart, { recursive: true });
  editTemplates(chart);
  const input = join(dir, 'values.json');
  writeFileSync(input, readFileSync(0));
  const valuesFiles = given.values?.map((file) => (file === '-' ? input : file)).join();
  const renderByLibrary = load(String(process.argv[2]));
  const { namespace, 'kube-version': kubeVersion } = given;
  const { out, err } = renderByLibrary({ name, chart, namespace, kubeVersion, valuesFiles });
  if (err) throw new Error(err);
  const documents: string[] = out.split(/^(?=---\n)/m);
  const isHook = (document: string) => document.includes(hidden);
  const sorted = [...documents.filter((one) => !isHook(one)), ...documents.filter(isHook)];
  return sorted.join('').replaceAll(hidden, hook);
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

const dir = mkdtempSync(join(tmpdir(), 'store-'));
try {
  process.stdout.write(render(dir));
} catch (error) {
  console.error((error as Error).message);
  process.exitCode = 1;
} finally {
  rmSync(dir, { recursive: true });
}
