import { mkdtemp, readdir, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { basename, join } from 'node:path';
import { execa } from 'execa';
import { root } from '../../tools/paths.ts';
import { documentAt } from '../docs/_documents.ts';
import { startTestStore, type TestStore } from './_store.ts';

const [, example = ''] = /```js\n([\s\S]+?)```/.exec(documentAt('clients/typescript/README.md').text) ?? [];

/** Of somebody else, with the package as a release publishes it. */
let folder: string;
let file: string;
const run = (program: string, args: string[]) => execa(program, args, { cwd: folder, env: { NODE_OPTIONS: '' } });

beforeAll(async () => {
  folder = await mkdtemp(join(tmpdir(), 'store-client-test-'));
  const pack = ['--import', 'tsx', 'tools/release/pack-client.ts', '0.2.0-rc.1', '--to', folder];
  const { stdout } = await execa(process.execPath, pack, { cwd: root, env: { NODE_OPTIONS: '' } });
  [, file = ''] = /^package=(.+)\ntag=next$/.exec(stdout) ?? [];
  await writeFile(join(folder, 'package.json'), '{ "type": "module" }');
  await run('npm', [
    'install',
    '--prefer-offline',
    '--ignore-scripts',
    '--no-audit',
    '--no-fund',
    file,
    'fetch-cookie',
  ]);
}, 120_000);

afterAll(() => rm(folder, { recursive: true, force: true }));

test('the package of the client has the version of the release, what is compiled, and the licence', async () => {
  const sources = await readdir(join(root, 'clients/typescript/src'));
  const compiled = sources.flatMap((name) => [name.replace(/ts$/, 'js'), name.replace(/ts$/, 'd.ts')]);
  const { stdout } = await run('tar', ['-tzf', file]);
  expect(stdout.split('\n').sort()).toEqual(
    ['LICENSE', 'README.md', 'package.json', ...compiled.map((name) => `dist/${name}`)]
      .map((name) => `package/${name}`)
      .sort(),
  );
  expect(basename(file)).toBe('store-platform-client-0.2.0-rc.1.tgz');
});

test.each(['nodenext', 'bundler'])('its types are found and checked with module resolution %s', async (resolution) => {
  const isNode = resolution === 'nodenext';
  const options = {
    ...{ module: isNode ? resolution : 'esnext', moduleResolution: resolution, target: 'es2023', noEmit: true },
    ...{ strict: true, lib: ['es2023', 'dom', 'dom.iterable', 'dom.asynciterable'], types: [] },
  };
  await writeFile(join(folder, 'tsconfig.json'), JSON.stringify({ compilerOptions: options, files: ['example.ts'] }));
  const check = async (text: string) => {
    await writeFile(join(folder, 'example.ts'), text);
    return (await execa(join(root, 'node_modules/.bin/tsc'), { cwd: folder, reject: false })).stdout;
  };
  expect(await check(example)).toBe('');
  expect(await check(example.replace('quantity: 2', "quantity: '2'"))).toMatch(
    /string.* is not assignable to .*number/,
  );
});

describe('with a store', () => {
  let store: TestStore;
  beforeAll(async () => {
    store = await startTestStore({ components: ['gateway', 'auth', 'account', 'product', 'order'] });
  }, 120_000);
  afterAll(() => store?.stop(), 60_000);

  test('the example in its README runs as printed', async () => {
    const script = example.replace('http://localhost:8080', store.gatewayUrl);
    const { stdout } = await run('node', ['--input-type=module', '--eval', script]);
    expect(stdout).toBe("PENDING { amount: 8.5, currency: 'USD' }");
  });
});
