import { execa } from 'execa';
import { costs } from '../../tools/capacity/costs.ts';
import { scalingText } from '../../tools/capacity/tables.ts';
import { root } from '../../tools/paths.ts';
import { documentAt, scriptsRunBy } from './_documents.ts';

/** Without what the make that runs these tests was given. */
const env = { MAKEFLAGS: undefined, ARGS: undefined };
const { text } = documentAt('docs/scaling.md');

describe('docs/scaling.md', () => {
  it('the figures of docs/scaling.md are those of tools/capacity/costs.json', () => {
    // make bench ONLY=costs writes them.
    expect(scalingText(costs)['docs/scaling.md']).toBe(text);
  });

  it('the commands of docs/scaling.md work as printed', async () => {
    const [block] = scriptsRunBy('tests/docs/scaling.test.ts');
    const script = `make() { command make --no-print-directory "$@"; }\n${block?.script}`;
    const { stdout } = await execa('bash', ['-euo', 'pipefail', '-c', script], {
      cwd: root,
      env,
    });
    expect(stdout).toMatch(/^\| Partitions +\| \d+/m);
  });

  it.each(['', '0', '-1', 'many', '1e9'])('make capacity refuses ORDERS=%s', async (orders) => {
    const { exitCode, stderr } = await execa('make', ['capacity', `ORDERS=${orders}`], {
      cwd: root,
      env,
      reject: false,
    });
    expect([exitCode, stderr]).toEqual([2, expect.stringMatching(/missing required argument|above 0/)]);
  });
});
