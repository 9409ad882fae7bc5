import { cpSync, existsSync, mkdtempSync, readFileSync, rmSync, symlinkSync } from 'node:fs';
import { mkdir } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { dirname, join } from 'node:path';
import { execa } from 'execa';
import { cacheDir, root } from '../../tools/paths.ts';

const copy = mkdtempSync(join(tmpdir(), 'store-copy-'));

// What the environment of this test run says is not meant for the copy's.
const env = { NODE_OPTIONS: undefined, JEST_WORKER_ID: undefined, NODE_ENV: undefined };

/** Runs a command in the copy. */
const run = (file: string, ...args: string[]) =>
  execa(file, args, { cwd: copy, env, reject: false, all: true, timeout: 300_000 });

/** The same, and fails with its output if it fails. */
async function succeed(file: string, ...args: string[]): Promise<string> {
  const { exitCode, all = '' } = await run(file, ...args);
  if (exitCode !== 0) throw new Error(`${file} ${args.join(' ')} exited with ${exitCode}:\n${all.slice(-5_000)}`);
  return all;
}

/** The repository as git sees it, with the installed packages and fetched tools of this one. */
beforeAll(async () => {
  const { stdout } = await execa('git', ['ls-files', '--cached', '--others', '--exclude-standard'], { cwd: root });
  for (const file of stdout.split('\n').filter((one) => existsSync(join(root, one)))) {
    await mkdir(dirname(join(copy, file)), { recursive: true });
    cpSync(join(root, file), join(copy, file));
  }
  await execa('cp', ['-a', '--reflink=auto', join(root, 'node_modules'), copy]);
  await mkdir(join(copy, '.cache'));
  symlinkSync(join(cacheDir, 'tools'), join(copy, '.cache/tools'));
  await succeed('git', 'init', '--quiet');
  await succeed('git', 'add', '--all');
  await succeed('git', '-c', 'user.name=test', '-c', 'user.email=test@localhost', 'commit', '--quiet', '-m', 'copy');
}, 300_000);

afterAll(() => rmSync(copy, { recursive: true, force: true, maxRetries: 10 }));

describe('make service', () => {
  it.each([
    ['', /NAME= is not a name for a service/],
    ['Loyalty', /NAME=Loyalty is not a name for a service/],
    ['loyalty-points', /is not a name for a service/],
    ['order', /The name order is taken/],
    ['gateway', /The name gateway is taken/],
    ['orders', /The path \/orders is routed already/],
  ])('refuses NAME=%s and changes nothing', async (name, message) => {
    const { exitCode, all } = await run('make', 'service', `NAME=${name}`);
    expect({ exitCode, all }).toMatchObject({ exitCode: 2, all: expect.stringMatching(message) });
    const { stdout } = await run('git', 'status', '--short');
    expect(stdout).toBe('');
  });

  it('writes a service that passes lint, types and its own tests, and the tests of chart and documents', async () => {
    expect(await succeed('make', 'service', 'NAME=loyalty')).toContain('make jest ARGS=services/loyalty');
    await succeed('make', 'lint', 'typecheck');
    const tests = 'ARGS=--selectProjects loyalty chart --testPathIgnorePatterns kafka-users';
    expect(await succeed('make', 'jest', tests)).toContain('PASS loyalty');
  }, 900_000);

  it('is in what the chart renders, with its database, its Service and its NetworkPolicy', async () => {
    const stdout = readFileSync(join(copy, 'tests/chart/golden/default.yaml'), 'utf8');
    for (const kind of ['Deployment', 'Service', 'NetworkPolicy']) {
      expect(stdout).toMatch(new RegExp(`^kind: ${kind}\\nmetadata:\\n {2}name: loyalty$`, 'm'));
    }
    expect(stdout).toMatch(/^ {2}loyalty: \(generated\)$/m);
  });

  it('is called through Envoy: 401 without a token, its answers with one', async () => {
    cpSync(new URL('_ask-through-gateway.ts', import.meta.url), join(copy, 'ask-through-gateway.ts'));
    await succeed('make', 'build');
    const output = await succeed('node', '--import', 'tsx', 'ask-through-gateway.ts');
    expect(JSON.parse(output.trim().split('\n').at(-1) ?? '')).toEqual({
      stranger: 401,
      created: 201,
      listed: ['Hello'],
    });
  }, 600_000);
});
