import { maxLineBytes, type Part, partsOf } from './part-splitter.ts';

async function* chunked(text: string, size: number): AsyncGenerator<Buffer> {
  const bytes = Buffer.from(text);
  for (let from = 0; from < bytes.length; from += size) yield bytes.subarray(from, from + size);
}

async function partsIn(text: string, size: number): Promise<Part[]> {
  const parts: Part[] = [];
  for await (const part of partsOf(chunked(text, size))) parts.push(part);
  return parts;
}

describe('the parts of an import', () => {
  const lines = Array.from({ length: 1_234 }, (_, n) => (n % 7 === 0 ? '' : `{"sku":"🍵${n}"}`));

  it.each([1, 2, 3, 1_000, 65_536])('are all its lines in order, in chunks of %i bytes', async (size) => {
    for (const end of ['', '\n']) {
      const text = lines.join('\n') + end;
      const parts = await partsIn(text, size);
      expect(Buffer.concat(parts.map((part) => part.lines)).toString()).toBe(text);
      expect(parts.map(({ firstLine, lineCount }) => [firstLine, lineCount])).toEqual([
        [1, 500],
        [501, 500],
        [1001, 234],
      ]);
    }
  });

  it('end after 256 KiB', async () => {
    const line = 'x'.repeat(60_000);
    const parts = await partsIn(`${line}\n`.repeat(12), 4_096);
    expect(parts.map(({ lineCount }) => lineCount)).toEqual([5, 5, 2]);
  });

  it('hold of a line that is too long only its beginning', async () => {
    const parts = await partsIn(`a\n${'x'.repeat(3 * maxLineBytes)}\nb`, 1_000);
    expect(parts).toMatchObject([{ firstLine: 1, lineCount: 3 }]);
    expect(
      parts[0]?.lines
        .toString()
        .split('\n')
        .map(({ length }) => length),
    ).toEqual([1, maxLineBytes + 1, 1]);
  });

  it('hold no part of the chunks that they come from', async () => {
    const chunk = Buffer.from('a\nb\n');
    const body = (async function* () {
      yield chunk;
      chunk.fill('x');
    })();
    for await (const { lines } of partsOf(body)) expect(lines.toString()).toBe('a\nb\n');
  });

  it('are none of an empty body', async () => {
    expect(await partsIn('', 1)).toEqual([]);
  });
});
