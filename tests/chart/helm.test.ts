import { mkdir, mkdtemp, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { execa } from 'execa';
import { template } from '../../tools/chart/helm.ts';
import { root } from '../../tools/paths.ts';

// With the command where the machine has one, else with the library: both do the same.

describe('Helm', () => {
  let dir: string;
  beforeEach(async () => {
    dir = await mkdtemp(join(tmpdir(), 'store-helm-test-'));
    await mkdir(join(dir, 'templates'));
    await writeFile(join(dir, 'Chart.yaml'), 'apiVersion: v2\nname: small\nversion: 1.0.0\n');
  });
  afterEach(() => rm(dir, { recursive: true }));

  const write = (name: string, text: string) => writeFile(join(dir, 'templates', name), text);
  const configMap = (name: string, more = '') =>
    `apiVersion: v1\nkind: ConfigMap\nmetadata:\n  name: ${name}\n${more}data:\n  value: {{ .Values.value }}\n`;

  it('renders hooks like everything else, at the end', async () => {
    await write(
      'a.yaml',
      configMap('a', '  annotations: { "helm.sh/hook": pre-install, "helm.sh/hook-weight": "1" }\n'),
    );
    await write('b.yaml', configMap('b'));
    const text = await template(dir, [], { value: 1 });
    expect(text.match(/^ {2}(name|annotations|value): .*/gm)).toEqual([
      '  name: b',
      '  value: 1',
      '  name: a',
      '  annotations: { "helm.sh/hook": pre-install, "helm.sh/hook-weight": "1" }',
      '  value: 1',
    ]);
  });

  it('takes files of values in their order, then values, and the namespace', async () => {
    await write('a.yaml', '{{ toJson .Values }}\n# {{ .Release.Name }} in {{ .Release.Namespace }}\n');
    const files = ['one', 'two'].map((name) => join(dir, `${name}.yaml`));
    for (const [index, file] of files.entries()) await writeFile(file, `a: ${index}\nb: ${index}\n"c${index}": 1\n`);
    const text = await template(dir, files, { a: 'x,y' }, 'elsewhere');
    expect(text).toContain('{"a":"x,y","b":1,"c0":1,"c1":1}\n# store in elsewhere');
  });

  it('takes several charts at a time', async () => {
    await write('a.yaml', configMap('a'));
    const texts = await Promise.all([1, 2, 3].map((value) => template(dir, [], { value })));
    expect(texts.map((text) => text.match(/value: (.*)/)?.[1])).toEqual(['1', '2', '3']);
  });

  it('finds nothing that a template looks up, and asks no cluster', async () => {
    await write('a.yaml', 'found: {{ (lookup "v1" "Secret" .Release.Namespace "x") | toJson }}\n');
    await write('NOTES.txt', '{{ (lookup "v1" "Secret" .Release.Namespace "x") | toJson }}');
    expect(await template(dir)).toContain('found: {}');
  });

  it('fails with the words of the chart', async () => {
    await write('a.yaml', '{{ fail "No value is good enough." }}');
    await expect(template(dir)).rejects.toThrow('No value is good enough.');
  });

  it('what reaches a cluster says how to get Helm where there is none', async () => {
    const { exitCode, all } = await execa(process.execPath, ['tools/chart/helm-path.ts'], {
      cwd: root,
      env: { PATH: '', HELM: '' },
      all: true,
      reject: false,
    });
    expect({ exitCode, all }).toEqual({
      exitCode: 1,
      all: 'Helm is not on PATH: install 3.14 or later (https://helm.sh/docs/intro/install; macOS: brew install helm), or set HELM to its path.',
    });
  });
});
