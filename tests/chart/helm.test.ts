import { mkdir, mkdtemp, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { execa } from 'execa';
import { template } from '../../tools/chart/helm.ts';
import { root } from '../../tools/paths.ts';
import { useFolder } from '../kit/folder.ts';

// Uses the helm command if the machine has it, else the library. Both behave the same.

describe('Helm', () => {
  const folder = useFolder();
  let dir: string;
  beforeEach(async () => {
    dir = await mkdtemp(join(folder, 'chart-'));
    await mkdir(join(dir, 'templates'));
    await writeFile(join(dir, 'Chart.yaml'), 'apiVersion: v2\nname: small\nversion: 1.0.0\n');
  });

  const write = (name: string, text: string) => writeFile(join(dir, 'templates', name), text);
  const configMap = (name: string, more = '') =>
    `apiVersion: v1\nkind: ConfigMap\nmetadata:\n  name: ${name}\n${more}data:\n  value: {{ .Values.value }}\n`;

  it('renders hooks like everything else, at the end', async () => {
    const annotations = '  annotations: { "helm.sh/hook": pre-install, "helm.sh/hook-weight": "1" }';
    await write('a.yaml', configMap('a', `${annotations}\n`));
    await write('b.yaml', configMap('b'));
    const text = await template(dir, [], { value: 1 });
    const found = text.match(/^ {2}(name|annotations|value): .*/gm);
    expect(found).toEqual(['  name: b', '  value: 1', '  name: a', annotations, '  value: 1']);
  });

  it('applies values files in order, then values, and the namespace', async () => {
    await write('a.yaml', '{{ toJson .Values }}\n# {{ .Release.Name }} in {{ .Release.Namespace }}\n');
    const files = ['one', 'two'].map((name) => join(dir, `${name}.yaml`));
    for (const [index, file] of files.entries()) await writeFile(file, `a: ${index}\nb: ${index}\n"c${index}": 1\n`);
    const text = await template(dir, files, { a: 'x,y' }, 'elsewhere');
    expect(text).toContain('{"a":"x,y","b":1,"c0":1,"c1":1}\n# store in elsewhere');
  });

  it('returns nothing for lookups in templates, and asks no cluster', async () => {
    await write('a.yaml', 'found: {{ (lookup "v1" "Secret" .Release.Namespace "x") | toJson }}\n');
    await write('NOTES.txt', '{{ (lookup "v1" "Secret" .Release.Namespace "x") | toJson }}');
    expect(await template(dir)).toContain('found: {}');
  });

  it('explains how to get Helm if a command that reaches a cluster lacks it', async () => {
    const options = { cwd: root, env: { PATH: '', HELM: '' }, all: true, reject: false } as const;
    const { exitCode, all } = await execa(process.execPath, ['tools/chart/helm-path.ts'], options);
    expect(exitCode).toBe(1);
    expect(all).toMatch(/^Helm is not on PATH: install 3\.14 or later \(.*\), or set HELM to its path\.$/);
  });
});
