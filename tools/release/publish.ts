import { createHash } from 'node:crypto';
import { readFile, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { execa } from 'execa';
import { thirdPartyImages } from '../chart/third-party.ts';
import { requireHelm } from '../local/downloads/helm.mjs';
import { root } from '../paths.ts';
import { Tool } from '../run-command.ts';
import { builtImages } from '../topology/images.ts';
import { withFolder } from '../with-folder.ts';

// Publishes a version from images that are already built, pushed by digest and scanned: it signs them, tags them, and pushes the chart,
// which is the release.

type Options = Record<'digests' | 'cosign', string> & { project?: string };

async function publish(
  version: string,
  repository: string,
  { digests: folder, cosign, project }: Options,
): Promise<void> {
  const charts = `${repository}/charts`;
  const chart = `${charts}/store:${version}`;
  if ((await digestOf(chart)) !== undefined)
    throw new Error(`${chart} is already published. A version is never replaced: release the next version.`);
  const digests = await readDigests(folder);
  for (const [image, digest] of Object.entries(digests)) {
    const name = `${repository}/${image}`;
    await sign(`${name}@${digest}`, cosign);
    const [source, target] = [`docker://${name}@${digest}`, `docker://${name}:${version}`];
    await execa('skopeo', ['copy', '--quiet', '--all', '--preserve-digests', source, target]);
    console.log(`${name}:${version}@${digest}`);
  }
  const pinned = { ...digests, ...(await thirdPartyDigests()) };
  await sign(await pushChart(version, repository, charts, pinned, project), cosign);
}

/** Each file has the name of an image and contains its digest. @throws Error if a file is missing */
async function readDigests(folder: string): Promise<Record<string, string>> {
  const entries = builtImages.map(async ({ name }) => [name, (await readFile(join(folder, name), 'utf8')).trim()]);
  return Object.fromEntries(await Promise.all(entries));
}

/** The digest of the image for all platforms; undefined if there is no such image. @throws Error if the registry does not answer */
async function digestOf(image: string): Promise<string | undefined> {
  const options = { reject: false, encoding: 'buffer' } as const;
  const { stdout, stderr, failed } = await execa('skopeo', ['inspect', '--raw', `docker://${image}`], options);
  if (!failed) return `sha256:${createHash('sha256').update(stdout).digest('hex')}`;
  const message = Buffer.from(stderr).toString();
  // Some registries answer "denied" for an image that does not exist. If the right to push is missing, the push says so.
  if (/manifest unknown|name unknown|denied/.test(message)) return undefined;
  throw new Error(message);
}

async function thirdPartyDigests(): Promise<Record<string, string>> {
  const digests: Record<string, string> = {};
  for (const [name, image] of Object.entries(await thirdPartyImages(join(root, 'charts/store')))) {
    const digest = await digestOf(image);
    if (digest === undefined) throw new Error(`There is no image ${image}.`);
    digests[name] = digest;
    console.log(`${image}@${digest}`);
  }
  return digests;
}

/** @returns the name of the chart with its digest */
const pushChart = (
  version: string,
  repository: string,
  charts: string,
  digests: object,
  project?: string,
): Promise<string> =>
  withFolder(async (dir) => {
    const file = join(dir, 'digests.json');
    await writeFile(file, JSON.stringify(digests));
    const args = ['tools/chart/package.ts', version, '--images', repository, '--digests', file];
    if (project) args.push('--project', project);
    await execa(process.execPath, [...args, '--to', dir], { cwd: root });
    // As with other clients, a registry on this machine needs no certificate.
    const plain = /^(localhost|127\.0\.0\.1)[:/]/.test(charts) ? ['--plain-http'] : [];
    const push = ['push', join(dir, `store-${version}.tgz`), `oci://${charts}`, ...plain];
    const { all } = await execa(await requireHelm(), push, { all: true });
    const [digest] = /sha256:[0-9a-f]{64}/.exec(all) ?? [];
    if (digest === undefined) throw new Error(`helm push printed no digest: ${all}`);
    console.log(`${charts}/store:${version}@${digest}`);
    return `${charts}/store@${digest}`;
  });

async function sign(name: string, flags: string): Promise<void> {
  await execa('cosign', ['sign', '--yes', ...flags.split(' ').filter(Boolean), name], { stdio: 'inherit' });
}

await new Tool('publish')
  .description('Signs and tags the images of a version, then packages, pushes and signs the chart with their digests.')
  .argument('<version>', 'such as 0.2.0')
  .argument('<repository>', 'where images and chart are, such as ghcr.io/example/store')
  .requiredOption('--digests <folder>', 'a file for each image, with its name, that contains the pushed digest')
  .option('--project <URL>', 'where the sources are, for the links of the chart')
  .option('--cosign <flags>', 'further flags of cosign sign, such as those of a key', '')
  .action(publish)
  .run();
