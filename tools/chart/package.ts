import { cp, mkdir, readdir, readFile, writeFile } from 'node:fs/promises';
import { join, resolve } from 'node:path';
import { Command } from 'commander';
import { execa } from 'execa';
import { parse, parseDocument, stringify } from 'yaml';
import { z } from 'zod';
import { cacheDir, root } from '../paths.ts';
import { changesOf } from '../release/changelog.ts';
import { runCommand } from '../run-command.ts';
import { builtImages } from '../topology/images.ts';
import { withFolder } from '../with-folder.ts';
import { thirdPartyImages } from './third-party.ts';

// make package VERSION=0.2.0: helm package would set the version of the chart alone, and the services would stay what they are.

interface Options {
  images?: string;
  digests?: string;
  to: string;
}

const built = builtImages.map(({ name }) => name);

type Edit = [pattern: RegExp, replacement: string];

/** As text, because a YAML library would reformat the comments and anchors of the rest. */
async function edit(file: string, edits: Edit[]): Promise<void> {
  let text = await readFile(file, 'utf8');
  for (const [pattern, replacement] of edits) {
    if (!pattern.test(text)) throw new Error(`${file} has no ${pattern}`);
    text = text.replace(pattern, replacement);
  }
  await writeFile(file, text);
}

/** Gives the chart and its subcharts one version; PostgreSQL, Kafka and Envoy keep theirs as appVersion. */
async function setVersions(chart: string, version: string): Promise<void> {
  const chartVersion: Edit = [/^version: .*$/m, `version: ${version}`];
  const appVersion: Edit = [/^appVersion: .*$/m, `appVersion: ${version}`];
  await edit(join(chart, 'Chart.yaml'), [chartVersion, appVersion, [/(?<=^ {2}- .*version: )[^, ]+/gm, version]]);
  for (const name of await readdir(join(chart, 'charts'))) {
    const edits = name === 'service' ? [chartVersion, appVersion] : [chartVersion];
    await edit(join(chart, 'charts', name, 'Chart.yaml'), edits);
  }
}

const digestsSchema = z.record(z.string(), z.string().regex(/^sha256:[0-9a-f]{64}$/));

/** @throws Error where the digest of an image of the store is missing, or one is of no image */
async function readDigests(file: string, chart: string): Promise<Record<string, string>> {
  const { data, error } = digestsSchema.safeParse(parse(await readFile(file, 'utf8')));
  if (error)
    throw new Error(`${file} is no map of images to digests, such as order: sha256:…\n${z.prettifyError(error)}`);
  const missing = built.filter((image) => !(image in data));
  const known = [...built, ...Object.keys(await thirdPartyImages(chart))];
  const unknown = Object.keys(data).filter((image) => !known.includes(image));
  if (missing.length > 0) throw new Error(`${file} has no digest of ${missing.join(', ')}.`);
  if (unknown.length > 0)
    throw new Error(`${file} has digests of ${unknown.join(', ')}, which the chart does not run.`);
  return data;
}

async function packageVersion(version: string, { images, digests, to }: Options): Promise<void> {
  if (!/^\d+\.\d+\.\d+(-[0-9A-Za-z.-]+)?$/.test(version))
    throw new Error(`VERSION=${version} is no version. Give three numbers, as in make package VERSION=0.2.0`);
  await withFolder(async (dir) => {
    const chart = join(dir, 'store');
    await cp(join(root, 'charts/store'), chart, { recursive: true });
    await setVersions(chart, version);
    const values = join(chart, 'values.yaml');
    if (images) await edit(values, [[/^( {4}repository:) .*$/m, `$1 ${images}`]]);
    if (digests)
      await edit(values, [[/^( {4}digests:) \{\}$/m, `$1 ${JSON.stringify(await readDigests(digests, chart))}`]]);
    await annotate(chart, version);
    // A package is the folder of the chart. By tar, as a machine that mirrors charts may have no Helm.
    await mkdir(to, { recursive: true });
    const args = [
      '-czf',
      join(resolve(to), `store-${version}.tgz`),
      '-X',
      join(chart, '.helmignore'),
      '-C',
      dir,
      'store',
    ];
    await execa('tar', args, { env: { COPYFILE_DISABLE: '1' } }); // no files of macOS beside the chart's
  });
  console.log(join(resolve(to), `store-${version}.tgz`));
}

/** Artifact Hub shows what a version has changed and the images of a chart, which it scans. */
async function annotate(chart: string, version: string): Promise<void> {
  const values = parse(await readFile(join(chart, 'values.yaml'), 'utf8'), { merge: true });
  const { repository, digests } = values.global.image;
  const own = built.map((name) => [name, `${repository}/${name}:${version}`]);
  const images = { ...Object.fromEntries(own), ...(await thirdPartyImages(chart)) };
  const list = Object.entries(images).map(([name, image]) => ({
    name,
    image: digests[name] ? `${image}@${digests[name]}` : image,
  }));
  const file = join(chart, 'Chart.yaml');
  const document = parseDocument(await readFile(file, 'utf8'));
  document.setIn(['annotations', 'artifacthub.io/images'], stringify(list));
  const changes = changesOf(await readFile(join(root, 'CHANGELOG.md'), 'utf8'), version);
  if (changes.length > 0) document.setIn(['annotations', 'artifacthub.io/changes'], stringify(changes));
  await writeFile(file, document.toString());
}

const command = new Command('make package')
  .usage('VERSION=<version> [IMAGES=<repository>] [DIGESTS=<file>]')
  .description('Packages the chart, with one version for itself and the images of its services.')
  .argument('<version>', 'VERSION: three numbers, such as 0.2.0')
  .option('--images <repository>', 'IMAGES: where the images are, such as registry.example.com/store')
  .option(
    '--digests <file>',
    'DIGESTS: a YAML or JSON file with the digest of each image, such as order: sha256:…; those of others, such as envoy, may be there',
  )
  .option('--to <folder>', 'where the package is written', join(cacheDir, 'charts'))
  .action(packageVersion);

await runCommand(command);
