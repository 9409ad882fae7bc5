import { existsSync } from 'node:fs';
import { join } from 'node:path';
import { Command, Option } from 'commander';
import { execa } from 'execa';
import { requireHelm } from '../../local/downloads/helm.ts';
import { cacheDir, root } from '../../paths.ts';
import { runCommand } from '../../run-command.ts';
import { contextOf } from '../context.ts';

interface Options {
  namespace: string;
  release: string;
  values: string;
  timeout: string;
}

async function deploy({ namespace, release, values, timeout }: Options): Promise<void> {
  const images = join(cacheDir, 'images.yaml');
  if (!existsSync(images)) throw new Error('There are no images yet: make images');
  const helm = await requireHelm();
  const files = [...values.split(' ').filter(Boolean), images].flatMap((file) => ['--values', file]);
  console.log(
    `Waiting up to ${timeout} until everything is ready; kubectl -n ${namespace} get pods shows the progress.`,
  );
  const where = [...contextOf('--kube-context'), '--namespace', namespace];
  const args = ['upgrade', release, 'charts/store', '--install', ...where, ...files];
  await execa(helm, [...args, '--wait', '--timeout', timeout], { cwd: root, stdio: 'inherit' });
}

const command = new Command('make deploy')
  .description('Installs or upgrades the release in the cluster, and waits until everything is ready.')
  .addOption(new Option('--namespace <name>').env('NAMESPACE').makeOptionMandatory())
  .addOption(new Option('--release <name>').env('RELEASE').makeOptionMandatory())
  .addOption(new Option('--values <files>', 'values besides the images, separated by blanks').env('VALUES').default(''))
  .addOption(new Option('--timeout <duration>').env('TIMEOUT').makeOptionMandatory())
  .action(deploy);

await runCommand(command);
