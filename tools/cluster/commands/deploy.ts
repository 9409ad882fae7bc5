import { existsSync } from 'node:fs';
import { join } from 'node:path';
import { Command, Option } from 'commander';
import { execa } from 'execa';
import { requireHelm } from '../../local/downloads/helm.ts';
import { cacheDir, root } from '../../paths.ts';
import { runCommand } from '../../run-command.ts';

interface Options {
  namespace: string;
  release: string;
  values: string;
  timeout: string;
}

const run = (command: string, args: string[]) => execa(command, args, { cwd: root, stdio: 'inherit' });

async function deploy({ namespace, release, values, timeout }: Options): Promise<void> {
  const images = join(cacheDir, 'images.yaml');
  if (!existsSync(images)) throw new Error('There are no images yet: make images');
  const helm = await requireHelm();
  if (namespace === 'store') await run('kubectl', ['apply', '-f', 'k8s/namespace.yaml']);
  const files = [...values.split(' ').filter(Boolean), images].flatMap((file) => ['--values', file]);
  console.log(
    `Waiting up to ${timeout} until everything is ready; kubectl -n ${namespace} get pods shows the progress.`,
  );
  const args = ['upgrade', release, 'charts/store', '--install', '--namespace', namespace, ...files];
  await run(helm, [...args, '--wait', '--timeout', timeout]);
}

const command = new Command('make deploy')
  .description('Installs or upgrades the release in the cluster of kubectl, and waits until everything is ready.')
  .addOption(new Option('--namespace <name>').env('NAMESPACE').makeOptionMandatory())
  .addOption(new Option('--release <name>').env('RELEASE').makeOptionMandatory())
  .addOption(new Option('--values <files>', 'values besides the images, separated by blanks').env('VALUES').default(''))
  .addOption(new Option('--timeout <duration>').env('TIMEOUT').makeOptionMandatory())
  .action(deploy);

await runCommand(command);
