import { mkdtemp, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { keepResults, type Results, readResults } from './results.ts';

const results: Results = {
  measuredAt: '2026-01-31T12:00:00.000Z',
  commit: 'abc',
  machine: { cpu: 'x', cores: 2, memoryGib: 24, node: '20', postgres: '18', kafka: '4', envoy: '1' },
  rows: [{ name: 'A', measured: 'b', result: 1, unit: 'ms', atMost: 2 }],
};

let folder: string;
beforeAll(async () => {
  folder = await mkdtemp(join(tmpdir(), 'store-results-'));
});
afterAll(() => rm(folder, { recursive: true }));

it('are read as they were kept; a failed measurement has no result', async () => {
  const failed = { name: 'B failed', measured: '', result: null, atMost: 0 };
  const file = await keepResults({ ...results, rows: [...results.rows, failed] }, folder);
  expect(await readResults(file)).toEqual({ ...results, rows: [...results.rows, failed] });
});

it.each([
  ['{', /not hold results of make bench/],
  ['{"rows":[{}]}', /rows\[0\]\.name/],
])('a file with %s is refused with a reason', async (text, reason) => {
  const file = join(folder, 'other.json');
  await writeFile(file, text);
  await expect(readResults(file)).rejects.toThrow(reason);
});

it('a file that is not there is refused by its name', async () => {
  await expect(readResults('nowhere.json')).rejects.toThrow('nowhere.json');
});
