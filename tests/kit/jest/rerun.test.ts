import { mkdtemp, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { execa } from 'execa';
import { useFolder } from '../folder.ts';

const folder = useFolder();
const kit = (file: string) => fileURLToPath(new URL(file, import.meta.url));
const jest = kit('../../../node_modules/jest/bin/jest.js');

const passes = `it('works', () => undefined);`;
const fails = `it('works', () => { throw new Error('never works'); });`;
/** Fails in the first process or thread that runs it. */
const passesLater = `
  import { existsSync, writeFileSync } from 'node:fs';
  it('works', () => {
    const ranBefore = existsSync(import.meta.filename + '.ran');
    writeFileSync(import.meta.filename + '.ran', '');
    if (!ranBefore) throw new Error('works only later');
  });`;

/** Runs Jest as the project does, over files with these contents. */
async function run(files: Record<string, string>, RERUN_FAILED = '1') {
  const rootDir = await mkdtemp(join(folder, 'run-'));
  for (const [name, content] of Object.entries(files)) await writeFile(join(rootDir, `${name}.test.mjs`), content);
  const config = {
    rootDir,
    runner: kit('runner.mjs'),
    setupFilesAfterEnv: [kit('time-limit.mjs')],
    reporters: ['default', kit('closing-line-reporter.mjs')],
    testMatch: ['**/*.test.mjs'],
    maxWorkers: 2,
  };
  const args = ['--no-warnings', jest, '--config', JSON.stringify(config)];
  return execa('node', args, { env: { TMPDIR: folder, RERUN_FAILED }, all: true, reject: false });
}

describe('a test file that fails', () => {
  it('is reported as flaky with both outcomes if it passes once more, alone', async () => {
    const { exitCode, all } = await run({ flaky: passesLater, good: passes });
    expect(all).toMatch(/Flaky, fix it: .*flaky\.test\.mjs passed when it was run again alone\. Its first run failed:/);
    expect(all).toContain('works only later');
    expect(all).toContain('2 passed, 0 failed');
    expect(exitCode).toBe(0);
  });

  it('fails the run if it fails again', async () => {
    const { exitCode, all } = await run({ bad: fails, flaky: passesLater, good: passes });
    expect(all).toContain('2 passed, 1 failed');
    expect(all).not.toMatch(/Flaky, fix it: .*bad/);
    expect(exitCode).toBe(1);
  });

  it('fails the run if it cannot be loaded either time', async () => {
    const { exitCode, all } = await run({ broken: `import './absent.mjs';` });
    expect(all).toContain('0 passed, 1 failed');
    expect(exitCode).toBe(1);
  });

  it('fails the run if more than two are flaky, and still names them', async () => {
    const { exitCode, all } = await run({ one: passesLater, two: passesLater, three: passesLater, good: passes });
    expect(all).toContain('1 passed, 3 failed');
    expect(all?.match(/Flaky, fix it/g)).toHaveLength(3);
    expect(exitCode).toBe(1);
  });

  it('is not run again if too many others also failed', async () => {
    const many = Array.from({ length: 11 }, (_, index) => [`bad${index}`, passesLater]);
    const { exitCode, all } = await run(Object.fromEntries(many));
    expect(all).toContain('11 files failed, too many to run each once more.');
    expect(all).toContain('0 passed, 11 failed');
    expect(exitCode).toBe(1);
  });

  it('is not run again without RERUN_FAILED', async () => {
    const { exitCode, all } = await run({ flaky: passesLater }, '');
    expect(all).toContain('0 passed, 1 failed');
    expect(exitCode).toBe(1);
  });
});
