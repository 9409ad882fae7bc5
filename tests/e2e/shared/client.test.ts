import { readdir, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { execa } from 'execa';
import { root } from '../../../tools/paths.ts';
import { useFolder } from '../../kit/folder.ts';
import { clientExample, fullExample, installClient } from '../../kit/packed-client.ts';
import { sharedStore } from '../_shared-store.ts';

/** A user's project, with the package as a release publishes it. */
const folder = useFolder();
let file: string;
beforeAll(async () => {
  file = await installClient(folder);
}, 120_000);

const run = (program: string, ...args: string[]) =>
  execa(program, args, { cwd: folder, env: { NODE_OPTIONS: '' }, reject: false });
const runScript = (script: string) => run('node', '--input-type=module', '--eval', script);

it('the client package contains the compiled files and the licence', async () => {
  const sources = await readdir(join(root, 'clients/typescript/src'));
  const compiled = sources.flatMap((name) => [name.replace(/ts$/, 'js'), name.replace(/ts$/, 'd.ts')]);
  const { stdout } = await run('tar', '-tzf', file);
  expect(stdout.split('\n').sort()).toEqual(
    ['LICENSE', 'README.md', 'package.json', ...compiled.map((name) => `dist/${name}`)]
      .map((name) => `package/${name}`)
      .sort(),
  );
});

describe.each([
  ['7', 'node_modules/typescript'],
  ['5.9', 'clients/typescript/node_modules/typescript'],
])('TypeScript %s', (version, compiler) => {
  async function check(text: string, options: object): Promise<string> {
    const compilerOptions = { ...options, strict: true, noEmit: true };
    await writeFile(join(folder, 'tsconfig.json'), JSON.stringify({ compilerOptions, files: ['example.ts'] }));
    await writeFile(join(folder, 'example.ts'), text);
    return (await run('node', join(root, compiler, 'bin/tsc'))).stdout;
  }
  const typeRoots = [join(root, 'node_modules/@types')];
  const settings: Record<string, object> = {
    'Node without DOM': { module: 'nodenext', target: 'es2023', lib: ['es2023'], types: ['node'], typeRoots },
    // As written by npm create vite@latest, but also checking declarations.
    'a fresh Vite': {
      module: 'esnext',
      moduleResolution: 'bundler',
      target: 'es2023',
      lib: ['ES2023', 'DOM'],
      types: [],
      verbatimModuleSyntax: true,
      moduleDetection: 'force',
      erasableSyntaxOnly: true,
      noUncheckedSideEffectImports: true,
    },
    'stricter than strict, and older': {
      module: 'esnext',
      moduleResolution: 'bundler',
      target: 'es2022',
      lib: ['ES2022', 'DOM'],
      types: [],
      exactOptionalPropertyTypes: true,
      noUncheckedIndexedAccess: true,
    },
  };

  // An ETag may be missing, which exactOptionalPropertyTypes rejects.
  const examples = (options: object) =>
    'exactOptionalPropertyTypes' in options ? clientExample : clientExample + fullExample;
  const wrong =
    "// @ts-expect-error\nawait store.placeOrder({ body: { items: [{ productId: id, quantity: '2' }] } });\n";

  it.each(Object.keys(settings))('provides types that pass with the settings of %s', async (name) => {
    const options = settings[name] ?? {};
    expect(await check(examples(options) + wrong, options)).toBe('');
  });

  it('is that version', async () => {
    expect((await run('node', join(root, compiler, 'bin/tsc'), '--version')).stdout).toContain(`Version ${version}.`);
  });
});

it('prints an uncaught problem in five lines', async () => {
  const { stderr } = await runScript(`
    import { createServer } from 'node:http';
    import { createStore } from '@store-platform/client';
    const problem = { type: 'urn:problem:store:order-shipped', title: 'Conflict', status: 409, detail: 'It has left.' };
    const server = createServer((_, res) => {
      res.writeHead(409, { 'content-type': 'application/problem+json' }).end(JSON.stringify(problem));
    }).listen(0, '127.0.0.1', async () => {
      const store = createStore({ url: 'http://127.0.0.1:' + server.address().port });
      await store.cancelOrder({ path: { id: 'x' } });
    });`);
  // Before the problem Node prints the place in its own files, and after it its version.
  const [, printed = ''] = stderr.split('\n\n');
  expect(printed.split('\n')).toEqual([
    'StoreProblem: It has left. (order-shipped)',
    expect.stringMatching(/^ {4}at async Server.*\[eval1\]:\d+:\d+\) \{$/),
    '  status: 409,',
    expect.stringMatching(/^ {2}\[?errors\]?: \[\]$/),
    '}',
  ]);
});

it('runs the examples in its README as printed', async () => {
  const examples = clientExample + fullExample;
  const { stdout } = await runScript(examples.replace('http://localhost:8080', sharedStore().gatewayUrl));
  expect(stdout).toBe("PENDING { amount: 8.5, currency: 'USD' }\nNothing has changed.");
});
