import { existsSync } from 'node:fs';
import { join } from 'node:path';
import { root } from '../../tools/paths.ts';
import { read } from '../kit/read.ts';
import { documentAt, inCode } from './_documents.ts';

const { text } = documentAt('docs/conformance.md');

/** The rows of all chapters, without their headers. */
const rows = text
  .split('\n')
  .filter((line) => line.startsWith('|') && !/^\| (Requirement|-)|^\|-/.test(line))
  .map((line) =>
    line
      .slice(1, -1)
      .split('|')
      .map((cell) => cell.trim()),
  );

const testsOf = (cell: string) =>
  [...cell.matchAll(/`([^`]+\.ts)` "([^"]+)"/g)].map(([, path = '', title = '']) => ({ path, title }));

/** True if the file contains the whole title of a test, a group, or a case of a table. */
function hasTitle(path: string, title: string): boolean {
  if (!existsSync(join(root, path))) return false;
  const source = read(path);
  return ["'", '"', '`'].some((quote) => source.includes(quote + title + quote));
}

describe('docs/conformance.md', () => {
  it('each requirement names what meets it and a test', () => {
    expect(rows.length).toBeGreaterThan(75);
    const lacking = rows.filter(
      ([requirement, met, tests = '', ...more]) =>
        !requirement || !met || testsOf(tests).length === 0 || more.length > 0,
    );
    expect(lacking).toEqual([]);
  });

  it('every named test exists, by its whole title', () => {
    const named = rows.flatMap(([, , tests = '']) => testsOf(tests));
    expect(named.filter(({ path, title }) => !hasTitle(path, title))).toEqual([]);
  });

  it('every named file exists', () => {
    const files = rows.flatMap(([, met]) => inCode(met)).filter((code) => /^(services|charts|tools)\//.test(code));
    expect(files.length).toBeGreaterThan(50);
    expect(files.filter((file) => !existsSync(join(root, file)))).toEqual([]);
  });

  it('a missing test would be noticed', () => {
    const path = 'tests/docs/conformance.test.ts';
    expect(hasTitle(path, 'every named test exists')).toBe(true);
    expect(hasTitle(path, ['every test', 'that is nowhere'].join(' '))).toBe(false);
    expect(hasTitle('tests/docs/nowhere.test.ts', 'every named test exists')).toBe(false);
  });
});
