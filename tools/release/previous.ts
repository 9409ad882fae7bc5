import { mkdir } from 'node:fs/promises';
import { join } from 'node:path';
import { execa } from 'execa';
import { requireHelm } from '../local/downloads/helm.ts';
import { cacheDir, root } from '../paths.ts';
import { Tool } from '../run-command.ts';

/** @throws Error where a version was tagged, but its chart cannot be pulled */
async function previous(repository: string, { to }: { to: string }): Promise<void> {
  // Not the version that is being released.
  const list = ['tag', '--list', 'v*.*.*', '--no-contains', 'HEAD', '--sort=-version:refname'];
  const { stdout } = await execa('git', list, { cwd: root });
  // Nobody upgrades from a pre-release.
  const tag = stdout.split('\n').find((one) => /^v\d+\.\d+\.\d+$/.test(one));
  if (tag === undefined) {
    console.error('There is no release yet, so there is none to upgrade from.');
    return;
  }
  const version = tag.slice(1);
  await mkdir(to, { recursive: true });
  const plain = /^(localhost|127\.0\.0\.1)[:/]/.test(repository) ? ['--plain-http'] : [];
  const pull = ['pull', `oci://${repository}/charts/store`, '--version', version, '--destination', to, ...plain];
  await execa(await requireHelm(), pull, { stdio: ['ignore', 'ignore', 'inherit'] });
  console.log(`PREVIOUS_CHART=${join(to, `store-${version}.tgz`)}`);
}

await new Tool('previous')
  .description('Pulls the chart of the last release, which make test-cluster upgrades from, and prints PREVIOUS_CHART.')
  .argument('<repository>', 'where images and chart are, such as ghcr.io/example/store')
  .option('--to <folder>', 'where the chart is written', join(cacheDir, 'charts'))
  .action(previous)
  .run();
