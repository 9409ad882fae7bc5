import { writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { execa } from 'execa';
import manifest from '../../clients/typescript/package.json' with { type: 'json' };
import { root } from '../../tools/paths.ts';
import { documentAt } from '../docs/_documents.ts';

const { text } = documentAt('clients/typescript/README.md');
/** The example in the client's README that runs in Node and in a browser. */
export const [, clientExample = ''] = /```js\n([\s\S]+?)```/.exec(text) ?? [];
/** The example that continues it. */
export const [, fullExample = ''] = /```ts\n([\s\S]+?)```/.exec(text) ?? [];

/**
 * Packs the client as a release does and installs it in a folder, as in a user's project. Its dependencies come from this repository's
 * node_modules, not from a registry. @returns the package file
 */
export async function installClient(folder: string): Promise<string> {
  const pack = ['pack', '--silent', '--workspace', 'clients/typescript', '--pack-destination', folder];
  const file = join(folder, (await execa('npm', pack, { cwd: root, env: { NODE_OPTIONS: '' } })).stdout);
  await writeFile(join(folder, 'package.json'), '{ "type": "module" }');
  const needed = Object.keys(manifest.dependencies).map((name) => join(root, 'node_modules', name));
  const flags = ['--offline', '--install-links', '--ignore-scripts', '--no-audit', '--no-fund'];
  await execa('npm', ['install', ...flags, file, ...needed], { cwd: folder, env: { NODE_OPTIONS: '' } });
  return file;
}
