import { readdir, readFile, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { gzipSync } from 'node:zlib';
import { execa } from 'execa';
import { useFolder } from '../../../tests/kit/folder.ts';

const root = fileURLToPath(new URL('../../..', import.meta.url));

const folder = useFolder();

it('adds at most 7.5 KB to a page, including its dependencies', async () => {
  const client = JSON.stringify(join(root, 'clients/typescript/src/index.ts'));
  await writeFile(join(folder, 'page.js'), `import * as client from ${client}; globalThis.client = client;`);
  const options = {
    root: folder,
    configFile: false,
    logLevel: 'warn',
    build: { modulePreload: false, rolldownOptions: { input: 'page.js' } },
  };
  // Outside Jest, whose modules have a different Array from Vite's native part.
  const build = `import { build } from 'vite'; await build(${JSON.stringify(options)});`;
  await execa(process.execPath, ['--input-type=module', '--eval', build], { cwd: root, env: { NODE_OPTIONS: '' } });
  const [file = '', ...others] = await readdir(join(folder, 'dist/assets'));
  expect(others).toEqual([]);
  const text = await readFile(join(folder, 'dist/assets', file), 'utf8');
  expect(text).toContain('/orders/events');
  expect(gzipSync(text).length).toBeLessThanOrEqual(7_500);
});
