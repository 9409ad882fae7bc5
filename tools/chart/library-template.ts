import { cp, readdir, readFile, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { withFolder } from '../with-folder.ts';
import { callLibrary, type Options } from './helm-library.ts';

const hook = 'helm.sh/hook';
const hidden = `hidden.${hook}`;

/**
 * Returns what `helm template` prints. The library leaves hooks out and asks a cluster for what a template looks up, so
 * it gets a copy of the chart in which nothing is a hook, and nothing is found. Hooks are put where Helm has them: at
 * the end.
 * @param library its path
 * @param options of the call, without the chart
 */
export const templateByLibrary = (library: string, chart: string, values: object, options: Options) =>
  withFolder(async (dir) => {
    const copy = join(dir, 'chart');
    await cp(chart, copy, { recursive: true });
    await editTemplates(copy);
    const given = join(dir, 'values.json');
    await writeFile(given, JSON.stringify(values));
    const valuesFiles = [options.valuesFiles, given].filter(Boolean).join();
    const text = await callLibrary(library, { ...options, chart: copy, valuesFiles });
    const documents = text.split(/^(?=---\n)/m);
    const isHook = (document: string) => document.includes(hidden);
    const sorted = [...documents.filter((one) => !isHook(one)), ...documents.filter(isHook)];
    return sorted.join('').replaceAll(hidden, hook);
  });

async function editTemplates(chart: string): Promise<void> {
  for (const file of await readdir(chart, { recursive: true })) {
    if (!/(^|\/)templates\/.+\.(yaml|tpl|txt)$/.test(file)) continue;
    const text = await readFile(join(chart, file), 'utf8');
    await writeFile(
      join(chart, file),
      text.replaceAll(hook, hidden).replaceAll(/\blookup (?=["$.(])/g, 'omit (dict) '),
    );
  }
}
