import { cp, mkdir, readdir, readFile, writeFile } from 'node:fs/promises';
import { join, resolve } from 'node:path';
import { execa } from 'execa';
import { parse, parseDocument, stringify } from 'yaml';
import { cacheDir, root } from '../paths.ts';
import { Tool } from '../run-command.ts';
import { builtImages } from '../topology/images.ts';
import { withFolder } from '../with-folder.ts';
import { thirdPartyImages } from './third-party.ts';

// make package VERSION=0.2.0. helm package would set only the chart's version, and leave that of the services.

type Options = Partial<Record<'images' | 'digests' | 'project', string>> & { to: string };

const built = builtImages.map(({ name }) => name);

/** Edits the text, because a YAML library would reformat other comments and anchors. */
async function edit(file: string, pattern: RegExp, replacement: string): Promise<void> {
  const text = await readFile(file, 'utf8');
  if (!pattern.test(text)) throw new Error(`${file} has no ${pattern}`);
  await writeFile(file, text.replace(pattern, replacement));
}

/** Gives the chart and its subcharts one version; PostgreSQL, Kafka and Envoy keep theirs as appVersion. */
async function setVersions(chart: string, version: string): Promise<void> {
  const present = parse(await readFile(join(chart, 'Chart.yaml'), 'utf8')).version.replaceAll('.', '\\.');
  const subcharts = (await readdir(join(chart, 'charts'))).map((name) => join('charts', name));
  for (const dir of ['', ...subcharts])
    await edit(join(chart, dir, 'Chart.yaml'), new RegExp(`(?<=ersion: )${present}(?=[,\\s])`, 'g'), version);
}

/** @throws Error if an image of the store has no digest, or a digest belongs to no image */
async function readDigests(file: string, chart: string): Promise<Record<string, string>> {
  const digests: Record<string, string> = parse(await readFile(file, 'utf8'));
  for (const [image, digest] of Object.entries(digests))
    if (!/^sha256:[0-9a-f]{64}$/.test(digest))
      throw new Error(`${file} is not a map of images to digests, such as order: sha256:… (${image}: ${digest})`);
  const missing = built.filter((image) => !(image in digests));
  const known = [...built, ...Object.keys(await thirdPartyImages(chart))];
  const unknown = Object.keys(digests).filter((image) => !known.includes(image));
  if (missing.length > 0) throw new Error(`${file} has no digest for ${missing.join(', ')}.`);
  const others = unknown.join(', ');
  if (others) throw new Error(`${file} has digests for ${others}, which the chart does not run.`);
  return digests;
}

async function packageVersion(version: string, { images, digests, project, to }: Options): Promise<void> {
  if (!/^\d+\.\d+\.\d+(-[0-9A-Za-z.-]+)?$/.test(version))
    throw new Error(`VERSION=${version} is not a version. Give three numbers, as in make package VERSION=0.2.0`);
  const file = join(resolve(to), `store-${version}.tgz`);
  await withFolder(async (dir) => {
    const chart = join(dir, 'store');
    await cp(join(root, 'charts/store'), chart, { recursive: true });
    await setVersions(chart, version);
    const values = join(chart, 'values.yaml');
    if (images) await edit(values, /(?<=^ {4}repository: ).*$/m, images);
    if (digests) await edit(values, /(?<=^ {4}digests: )\{\}$/m, JSON.stringify(await readDigests(digests, chart)));
    await listImages(chart, version);
    if (project) await linkToProject(chart, project.replace(/\/$/, ''), version);
    // A package is an archive of the chart's folder. Made by tar, because a machine that mirrors charts may lack Helm.
    await mkdir(to, { recursive: true });
    const args = ['-czf', file, '-X', join(chart, '.helmignore'), '-C', dir, 'store'];
    await execa('tar', args, { env: { COPYFILE_DISABLE: '1' } }); // without the extra files of macOS
  });
  console.log(file);
}

/** Lists the images of the chart, which Artifact Hub and .github/workflows/scan.yaml scan. */
async function listImages(chart: string, version: string): Promise<void> {
  const values = parse(await readFile(join(chart, 'values.yaml'), 'utf8'), { merge: true });
  const { repository, digests } = values.global.image;
  const own = built.map((name) => [name, `${repository}/${name}:${version}`]);
  const images = { ...Object.fromEntries(own), ...(await thirdPartyImages(chart)) };
  const pinned = (name: string, image: string) => (digests[name] ? `${image}@${digests[name]}` : image);
  const list = Object.entries<string>(images).map(([name, image]) => ({ name, image: pinned(name, image) }));
  const file = join(chart, 'Chart.yaml');
  const document = parseDocument(await readFile(file, 'utf8'));
  document.setIn(['annotations', 'artifacthub.io/images'], stringify(list));
  await writeFile(file, document.toString());
}

/** Adds the origin of the chart, with links to the files of its version as on GitHub. */
async function linkToProject(chart: string, project: string, version: string): Promise<void> {
  const at = (path: string) => `${project}/blob/v${version}/${path}`;
  const file = join(chart, 'Chart.yaml');
  const document = parseDocument(await readFile(file, 'utf8'));
  document.set('home', project);
  document.set('sources', [project]);
  document.set('icon', `${project}/raw/v${version}/charts/store/icon.svg`);
  const links = [
    { name: 'Installation and operation', url: at('docs/kubernetes.md') },
    { name: 'Contract', url: at('docs/contract.md') },
    { name: 'Changelog', url: at('CHANGELOG.md') },
    { name: 'support', url: `${project}/issues` },
  ];
  document.setIn(['annotations', 'artifacthub.io/links'], stringify(links));
  await writeFile(file, document.toString());
  await edit(join(chart, 'README.md'), /(?<=\]\()\.\.\/\.\.\/(?=[^)]+\))/g, at(''));
}

await new Tool('make package')
  .usage('VERSION=<version> [IMAGES=<repository>] [DIGESTS=<file>] [PROJECT=<URL>]')
  .description('Packages the chart, with one version for itself and the images of its services.')
  .argument('<version>', 'VERSION: three numbers, such as 0.2.0')
  .option('--images <repository>', 'IMAGES: where the images are, such as registry.example.com/store')
  .option(
    '--digests <file>',
    'DIGESTS: a YAML or JSON file with the digest of each image, such as order: sha256:…; it may also have those of third parties, such as envoy',
  )
  .option('--project <URL>', 'PROJECT: where the sources are, such as https://github.com/example/store')
  .option('--to <folder>', 'folder for the package', join(cacheDir, 'charts'))
  .action(packageVersion)
  .run();
