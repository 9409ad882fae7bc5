import { cp, mkdtemp, readFile, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join, resolve } from 'node:path';
import { Command } from 'commander';
import { cacheDir, root } from '../paths.ts';
import { runCommand } from '../run-command.ts';
import { packageChart } from './helm.ts';

// make package VERSION=0.2.0: helm package would set the version of the chart alone, and the services would stay what they are.

async function edit(file: string, changes: [RegExp, string][]): Promise<void> {
  let text = await readFile(file, 'utf8');
  for (const [pattern, replacement] of changes) {
    if (!pattern.test(text)) throw new Error(`${file} has no ${pattern}`);
    text = text.replace(pattern, replacement);
  }
  await writeFile(file, text);
}

async function packageVersion(version: string, { images, to }: { images?: string; to: string }): Promise<void> {
  if (!/^\d+\.\d+\.\d+(-[0-9A-Za-z.-]+)?$/.test(version))
    throw new Error(`VERSION=${version} is no version. Give three numbers, as in make package VERSION=0.2.0`);
  const dir = await mkdtemp(join(tmpdir(), 'store-chart-'));
  try {
    const chart = join(dir, 'store');
    await cp(join(root, 'charts/store'), chart, { recursive: true });
    const appVersion: [RegExp, string] = [/^appVersion: .*$/m, `appVersion: ${version}`];
    await edit(join(chart, 'Chart.yaml'), [[/^version: .*$/m, `version: ${version}`], appVersion]);
    await edit(join(chart, 'charts/service/Chart.yaml'), [appVersion]);
    if (images) await edit(join(chart, 'values.yaml'), [[/^( +repository:) store$/m, `$1 ${images}`]]);
    await packageChart(chart, to);
  } finally {
    await rm(dir, { recursive: true });
  }
  console.log(join(resolve(to), `store-${version}.tgz`));
}

const command = new Command('make package')
  .usage('VERSION=<version> [IMAGES=<repository>]')
  .description('Packages the chart, with one version for itself and the images of its services.')
  .argument('<version>', 'VERSION: three numbers, such as 0.2.0')
  .option('--images <repository>', 'IMAGES: where the images are, such as registry.example.com/store')
  .option('--to <folder>', 'where the package is written', join(cacheDir, 'charts'))
  .action(packageVersion);

await runCommand(command);
