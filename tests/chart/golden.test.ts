import { parseAllDocuments } from 'yaml';
import { goldenText } from '../../tools/chart/golden-text.ts';
import { objectsIn, renderChart } from '../../tools/chart/render.ts';
import { renderPresets, textsOfChart } from '../../tools/chart/texts.ts';
import { read } from '../kit/read.ts';
import type { Manifest } from './_manifests.ts';

describe('make golden', () => {
  it('the files derived from the chart are up to date', async () => {
    const texts = await textsOfChart();
    expect(Object.keys(texts)).toContain('tests/chart/golden/prod.yaml');
    for (const [path, expected] of Object.entries(texts)) {
      try {
        expect(read(path)).toBe(expected);
      } catch (error) {
        const { message } = error as Error;
        throw new Error(`${path}: ${message}\n\nIf the change is intended, run make golden to update it`);
      }
    }
  });

  it('shows a change as one line', async () => {
    const text = await renderChart();
    const [before, after] = [text, text.replace('value: "1000"', 'value: "1001"')].map((one) =>
      goldenText({ name: 'default', files: [], objects: objectsIn(one) }).split('\n'),
    );
    const changed = after?.filter((line, index) => line !== before?.[index]);
    expect(changed).toEqual(['            - { name: INITIAL_STOCK, value: "1001" }']);
  });

  it('writes YAML with everything that is rendered: what a file leaves out is in the file that it names', async () => {
    const objects = new Map<string, Manifest>();
    for (const name of ['default', 'prod', 'cloudnative-pg']) {
      const text = read(`tests/chart/golden/${name}.yaml`);
      for (const [, title = ''] of text.matchAll(/^# There is no (.+), unlike in/gm)) objects.delete(title);
      for (const object of parseAllDocuments(text).flatMap((document) => document.toJS() ?? []))
        objects.set(`${object.kind} ${object.metadata.name.replace(/-[0-9a-f]{8}$/, '')}`, object);
    }
    const files = ['prod', 'cloudnative-pg'].map((name) => `charts/store/presets/${name}.yaml`);
    const rendered: Manifest[] = await renderPresets(files);
    const byName = (all: Manifest[]) => all.map((one) => JSON.stringify(one)).sort();
    expect(byName([...objects.values()])).toEqual(byName(rendered));
  });
});
