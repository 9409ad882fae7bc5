import { goldenText } from '../../tools/chart/golden-text.ts';
import { objectsIn, renderChart } from '../../tools/chart/render.ts';
import { textsOfChart } from '../../tools/chart/texts.ts';
import { read } from '../kit/read.ts';

describe('make golden', () => {
  it('the files that follow from the chart are as make golden writes them', async () => {
    const texts = await textsOfChart();
    expect(Object.keys(texts)).toContain('tests/chart/golden/prod.yaml');
    for (const [path, expected] of Object.entries(texts)) {
      try {
        expect(read(path)).toBe(expected);
      } catch (error) {
        const { message } = error as Error;
        throw new Error(`${path}: ${message}\n\nmake golden writes it anew, if the change is intended`);
      }
    }
  });

  it.each([
    ['the service that stands for others', 'value: "1000"', 'value: "1001"', 'INITIAL_STOCK: "1001"'],
    ['another service', 'value: "900"', 'value: "901"', 'PENDING_TIMEOUT_SECONDS: "901"'],
    ['a text of many lines', 'psql -qAtX', 'psql -qAt', 'lines, sha256:'],
  ])('shows a change of %s', async (_, present, replacement, shown) => {
    const text = await renderChart();
    const [before, after] = [text, text.replace(present, replacement)].map((one) =>
      goldenText(objectsIn(one)).split('\n'),
    );
    const added = after?.filter((line) => !before?.includes(line)) ?? [];
    expect(added).toEqual([expect.stringContaining(shown)]);
  });
});
