import { readFile } from 'node:fs/promises';
import { join } from 'node:path';
import { execa } from 'execa';
import { root } from '../../tools/paths.ts';
import { documentAt } from './_documents.ts';

/** How comments describe code that exists for replicas, tokens or pods of an earlier release. */
const mark =
  /such as that of the previous release|\b(service|gateway|replicas?|relays?|pods|ids|callers|tokens) (is )?of (the |a )?(previous release|release 0\.\d)|earlier releases hold|(one of|in) release 0\.\d|(until )?version 0\.\d\.\d (this was|had)/i;

const rows = [...documentAt('docs/previous-release.md').text.matchAll(/^\| `([^`]+)` \| [^|]+ \| (\S+) \|$/gm)].map(
  ([, file = '', day = '']) => ({ file, day }),
);

async function marked(): Promise<string[]> {
  const { stdout } = await execa('git', ['ls-files', ':(glob)services/*/src/**', 'charts/store'], { cwd: root });
  const files = stdout
    .split('\n')
    .filter((file) => /\.(tsx?|tpl|yaml)$/.test(file) && !/\/(golden|files)\//.test(file));
  const texts = await Promise.all(files.map((file) => readFile(join(root, file), 'utf8')));
  return files.filter((_, index) => mark.test(texts[index] ?? ''));
}

describe('docs/previous-release.md', () => {
  it('lists exactly the files whose comments mention code for the previous release', async () => {
    expect(rows.map(({ file }) => file)).toEqual((await marked()).sort());
  });

  it('says when the code in each file may be removed', () => {
    for (const { file, day } of rows) {
      expect(new Date(`${day}T00:00:00Z`).toISOString().slice(0, 10)).toBe(day);
      // Only a notice: a test that fails on a date would fail unrelated changes.
      if (new Date(day) <= new Date())
        process.stderr.write(`${file}: its code for the previous release may be removed\n`);
    }
  });
});
