import { join } from 'node:path';
import { execa } from 'execa';
import { objectsIn } from '../../tools/chart/render.ts';
import { thirdPartyImages } from '../../tools/chart/third-party.ts';
import { requireHelm } from '../../tools/local/downloads/helm.mjs';
import { root } from '../../tools/paths.ts';
import { builtImages } from '../../tools/topology/images.ts';
import { topology } from '../../tools/topology/topology.ts';
import { imagesIn } from '../chart/_manifests.ts';
import { codeBlocks } from '../docs/_documents.ts';
import { useFolder } from '../kit/folder.ts';
import { createPublisher, missingTools, pathOf } from './_publisher.ts';
import { startRegistry, writeImage } from './_registry.ts';

// Makes two releases into a registry on this machine as .github/workflows/release.yaml does, with stand-ins for the images.

const missing = await missingTools('docker-registry');
if (missing.length > 0) process.stderr.write(`skipped: releases, without ${missing.join(', ')} on PATH\n`);

const dir = useFolder();
let registry: Awaited<ReturnType<typeof startRegistry>>;
let publisher: Awaited<ReturnType<typeof createPublisher>>;
let repository: string;
/** The pushed digests, by version and image. */
const pushed: Record<string, Record<string, string>> = {};

const run = (program: string, args: string[]) => execa(program, args, { cwd: root, env: publisher.env, all: true });

async function push(image: string, content: string): Promise<string> {
  const folder = join(dir, 'images', image.replaceAll(/\W/g, '-'), content);
  const digest = await writeImage(folder, content);
  await run('skopeo', ['copy', '--all', '--preserve-digests', `oci:${folder}`, `docker://${image}`]);
  return digest;
}

async function release(version: string): Promise<void> {
  pushed[version] = {};
  // The workflow pushes by digest only, but skopeo needs a tag.
  for (const { name } of builtImages)
    pushed[version][name] = await push(`${repository}/${name}:build`, `${name}-${version}`);
  await publisher.publish(version, pushed[version]);
}

async function imagesInstalledBy(...args: string[]): Promise<string[]> {
  const chart = [`oci://${repository}/charts/store`, '--plain-http'];
  const { stdout } = await run(await requireHelm(), ['template', 'store', ...chart, ...args]);
  return imagesIn(objectsIn(stdout));
}

(missing.length > 0 ? describe.skip : describe)('a release', () => {
  beforeAll(async () => {
    registry = await startRegistry(dir);
    publisher = await createPublisher(dir, registry.address);
    repository = publisher.repository;
    for (const image of Object.values(await thirdPartyImages(join(root, 'charts/store'))))
      await push(`${registry.address}/${pathOf(image)}`, 'theirs');
    await release('0.1.0');
    await release('0.2.0');
  });
  afterAll(() => registry?.stop());

  it.each(['0.1.0', '0.2.0'])(
    '%s installs without values, and with the shop, from the images of that version by digest',
    async (version) => {
      const images = await imagesInstalledBy('--version', version, '--set', 'global.shop.enabled=true');
      const own = images.filter((image) => image.startsWith(`${repository}/`));
      const expected = Object.entries(pushed[version] ?? {});
      expect(own).toEqual(expected.map(([name, digest]) => `${repository}/${name}:${version}@${digest}`).sort());
      const others = images.filter((image) => !own.includes(image));
      expect(others).toHaveLength(3);
      for (const image of images) {
        const [, name = '', tag = '', digest = ''] = /^(.+?):([^:@]+)@(sha256:.+)$/.exec(pathOf(image)) ?? [];
        expect([image, await registry.digestOf(name, digest)]).toEqual([image, digest]);
        expect([image, await registry.digestOf(name, tag)]).toEqual([image, digest]);
      }
    },
  );

  it('the newest is installed by default, and shares no digest with the previous one', async () => {
    const images = await imagesInstalledBy();
    expect(images.filter((image) => image.includes(':0.2.0@'))).toHaveLength(topology.images.length);
    const before = Object.values(pushed['0.1.0'] ?? {});
    expect(Object.values(pushed['0.2.0'] ?? {}).filter((digest) => before.includes(digest))).toEqual([]);
  });

  it('is never replaced', async () => {
    await expect(publisher.publish('0.2.0', pushed['0.2.0'] ?? {})).rejects.toThrow(
      'A version is never replaced: release the next one.',
    );
  });

  it('is signed: the documented commands verify images and chart, and refuse unsigned ones', async () => {
    const { text = '' } = codeBlocks.find(({ text }) => text.includes('cosign verify')) ?? {};
    const names = [...text.matchAll(/ghcr\.io\/\$project(\/\S+:)\S+/g)].map(([, name]) => name);
    expect(names).toEqual(['/order:', '/charts/store:']);
    const verify = (name: string) =>
      run('cosign', ['verify', '--key', join(dir, 'cosign.pub'), '--insecure-ignore-tlog', name]);
    for (const name of names) await verify(`${repository}${name}0.2.0`);
    await push(`${repository}/order:mine`, 'mine');
    await expect(verify(`${repository}/order:mine`)).rejects.toThrow('no signatures found');
  });
});
