import { copyFile, readFile, writeFile } from 'node:fs/promises';
import { join, resolve } from 'node:path';
import { execa } from 'execa';
import { root } from '../paths.ts';
import { Tool } from '../run-command.ts';
import { withFolder } from '../with-folder.ts';

const client = join(root, 'clients/typescript');

const packClient = (version: string, { to }: { to: string }): Promise<void> =>
  withFolder(async (staged) => {
    // The package has no sources: neither do its maps, nor what this repository finds its sources by.
    const flags = ['--sourceMap', 'false', '--outDir', join(staged, 'dist')];
    await execa(join(root, 'node_modules/.bin/tsc'), ['--project', client, ...flags]);
    const { devDependencies: _, ...manifest } = JSON.parse(await readFile(join(client, 'package.json'), 'utf8'));
    const { source: __, ...entry } = manifest.exports['.'];
    const published = { ...manifest, version, exports: { '.': entry } };
    await writeFile(join(staged, 'package.json'), `${JSON.stringify(published, null, 2)}\n`);
    await copyFile(join(client, 'README.md'), join(staged, 'README.md'));
    await copyFile(join(root, 'LICENSE'), join(staged, 'LICENSE'));
    const { stdout } = await execa('npm', ['pack', '--json', '--pack-destination', resolve(to)], { cwd: staged });
    console.log(`package=${join(resolve(to), JSON.parse(stdout)[0].filename)}`);
    // The version that `npm install` takes by default is never a pre-release.
    console.log(`tag=${version.includes('-') ? 'next' : 'latest'}`);
  });

await new Tool('pack-client')
  .description('Packs the client with the version of a release, and prints the file and its tag, for $GITHUB_OUTPUT.')
  .argument('<version>', 'such as 0.2.0')
  .option('--to <folder>', 'where the package is written', '.')
  .action(packClient)
  .run();
