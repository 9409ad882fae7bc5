import { cpSync, existsSync, mkdtempSync, readFileSync, rmSync, symlinkSync, writeFileSync } from 'node:fs';
import { mkdir } from 'node:fs/promises';
import { dirname, join } from 'node:path';
import { execa } from 'execa';
import { parseAllDocuments } from 'yaml';
import { cacheDir, root } from '../../tools/paths.ts';

// On disk, so that packages can be hard links to those of the repository.
const copy = mkdtempSync('/var/tmp/store-copy-');

// Removes this run's own Node settings. The rest of the environment stays, which keeps the ports of the two runs apart.
const env = { NODE_OPTIONS: undefined, NODE_ENV: undefined };

/** Runs a command in the copy. */
const run = (file: string, ...args: string[]) =>
  execa(file, args, { cwd: copy, env, reject: false, all: true, timeout: 300_000 });

/** Runs a command in the copy. @throws Error with the output if it fails */
async function succeed(file: string, ...args: string[]): Promise<string> {
  const { exitCode, all = '' } = await run(file, ...args);
  if (exitCode !== 0) throw new Error(`${file} ${args.join(' ')} exited with ${exitCode}:\n${all.slice(-5_000)}`);
  return all;
}

const listFiles = async (...args: string[]) =>
  (await execa('git', ['ls-files', ...args], { cwd: root })).stdout.split('\n');

/**
 * Adds everything installed, generated and compiled here. Packages are hard links, because copying 800 MB would keep every other test
 * waiting for the disk. npm replaces files of packages, but overwrites one file of its own.
 */
async function addIgnored(): Promise<void> {
  const written = 'node_modules/.package-lock.json';
  const ignored = await listFiles('--others', '--ignored', '--exclude-standard', '--directory');
  for (const one of ignored.filter((path) => path !== '.cache/')) {
    const [from, to] = [join(root, one), dirname(join(copy, one))];
    const copied = execa('cp', [one.endsWith('node_modules/') ? '-al' : '-a', from, to]);
    await copied.catch(() => execa('cp', ['-a', from, to])); // another file system
  }
  rmSync(join(copy, written));
  cpSync(join(root, written), join(copy, written));
}

/** The repository as git sees it, with everything generated from it and the downloaded tools. */
beforeAll(async () => {
  const files = await listFiles('--cached', '--others', '--exclude-standard');
  for (const file of files.filter((one) => existsSync(join(root, one)))) {
    await mkdir(dirname(join(copy, file)), { recursive: true });
    cpSync(join(root, file), join(copy, file), { verbatimSymlinks: true, preserveTimestamps: true });
  }
  await addIgnored();
  await mkdir(join(copy, '.cache'));
  symlinkSync(join(cacheDir, 'tools'), join(copy, '.cache/tools'));
  const types = '.cache/types.tsbuildinfo';
  if (existsSync(join(root, types))) cpSync(join(root, types), join(copy, types));
  await succeed('git', 'init', '--quiet');
  await succeed('git', 'add', '--all');
  await succeed('git', '-c', 'user.name=test', '-c', 'user.email=test@localhost', 'commit', '--quiet', '-m', 'copy');
}, 300_000);

afterAll(() => rmSync(copy, { recursive: true, force: true, maxRetries: 10 }));

describe('make golden', () => {
  it('reports that nothing has changed', async () => {
    expect(await succeed('make', 'golden')).toMatch(/(^|\n)nothing changed$/);
  }, 300_000);

  it('describes an error in a sentence, and writes nothing', async () => {
    const values = join(copy, 'charts/store/values.yaml');
    const text = readFileSync(values, 'utf8');
    writeFileSync(values, text.replace('/orders: order', '/orders: oder'));
    const { exitCode, all } = await run('make', 'golden');
    writeFileSync(values, text);
    expect({ exitCode, all }).toMatchObject({
      exitCode: 2,
      all: expect.stringMatching(
        /^values\.yaml routes \/orders to oder, which is not a service of Chart\.yaml\.\nmake/,
      ),
    });
    expect((await run('git', 'status', '--short')).stdout).toBe('');
  });
});

describe('make lint', () => {
  it('prints a difference without colours, and says how to fix it', async () => {
    const file = join(copy, 'tools/badly-formatted.ts');
    writeFileSync(file, 'export const  x = 1\n');
    const { exitCode, all = '' } = await run('make', 'lint');
    rmSync(file);
    expect(exitCode).toBe(2);
    expect(all).not.toContain('\u001b');
    expect(all).toContain('\nmake format corrects what can be corrected.\n');
  });
});

describe('make service', () => {
  it.each([
    ['', '', /NAME= is not a name for a service/],
    ['Review', '', /NAME=Review is not a name for a service/],
    ['product-review', '', /is not a name for a service/],
    ['order', '', /The name order is taken/],
    ['gateway', '', /The name gateway is taken/],
    ['orders', '', /The path \/orders already has a route/],
    ['review', '/orders', /The path \/orders already has a route/],
    ['review', 'reviews', /ROUTE=reviews is not a path for a service.* make service NAME=review ROUTE=\/reviews/],
    ['review', '/external/reviews', /The path \/external\/reviews belongs to the gateway/],
  ])('refuses NAME=%s ROUTE=%s and changes nothing', async (name, route, message) => {
    const { exitCode, all } = await run('make', 'service', `NAME=${name}`, `ROUTE=${route}`);
    expect({ exitCode, all }).toMatchObject({ exitCode: 2, all: expect.stringMatching(message) });
    const { stdout } = await run('git', 'status', '--short');
    expect(stdout).toBe('');
  });

  it('writes a service that passes lint, types and its own tests, and the tests of chart and documents', async () => {
    const said = await succeed('make', 'service', 'NAME=review');
    expect(said).toContain('make jest ARGS=services/review');
    const { stdout } = await run('git', 'status', '--short');
    const changed = stdout.split('\n').map((line) => line.slice(3).replace(/\/$/, ''));
    expect(changed).toContain('services/review');
    for (const file of changed) expect(said).toContain(file.replace(/(tests\/chart\/golden)\/.*/, '$1'));
    await succeed('make', 'lint', 'typecheck');
    // Of the tests of documents and chart, only those that compare the services with other lists
    const documents = ['documents', 'openapi', 'facts', 'conformance', 'citations'].map((name) => `tests/docs/${name}`);
    const files = ['services/review', ...documents, 'tests/chart/golden', 'tests/chart/topology'].join(' ');
    expect(await succeed('make', 'jest', `ARGS=--testPathPatterns ${files}`)).toContain('services/review/test/');
  }, 900_000);

  it('adds the service to the rendered chart, with its database, its Service and its NetworkPolicy', async () => {
    const find = (values: string, kind: string) => {
      const text = readFileSync(join(copy, `tests/chart/golden/${values}.yaml`), 'utf8');
      const objects = parseAllDocuments(text).flatMap((document) => document.toJS() ?? []);
      return objects.find((object) => object.kind === kind && object.metadata.name === 'review');
    };
    for (const kind of ['Deployment', 'Service', 'NetworkPolicy', 'ServiceAccount'])
      expect([kind, find('default', kind)]).toEqual([kind, expect.objectContaining({ kind })]);
    const [{ env }] = find('default', 'Deployment').spec.template.spec.containers;
    expect(env).toContainEqual({ name: 'DATABASE_URL', value: expect.stringMatching(/\bpostgres:5432\/review$/) });
    expect(find('prod', 'HorizontalPodAutoscaler')).toBeDefined();
  });

  it('makes the service reachable through Envoy, which returns 401 without a token', async () => {
    cpSync(new URL('_ask-through-gateway.ts', import.meta.url), join(copy, 'ask-through-gateway.ts'));
    await succeed('make', 'build');
    const output = await succeed('node', 'ask-through-gateway.ts');
    expect(JSON.parse(output.trim().split('\n').at(-1) ?? '')).toEqual({
      stranger: 401,
      created: 201,
      listed: ['Hello'],
    });
  }, 600_000);
});
