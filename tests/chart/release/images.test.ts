import { existsSync } from 'node:fs';
import { join } from 'node:path';
import { execaSync } from 'execa';
import { parse } from 'yaml';
import { valuesFiles } from '../../../tools/chart/render.ts';
import { nodeFlags } from '../../../tools/local/components/services.ts';
import { root } from '../../../tools/paths.ts';
import { builtImages } from '../../../tools/topology/images.ts';
import { topology } from '../../../tools/topology/topology.ts';
import { read } from '../../kit/read.ts';
import { imagesIn, manifests } from '../_manifests.ts';

const images = async (values: object, files: string[] = []) => imagesIn((await manifests(values, files)).all);
const digest = (character: string) => `sha256:${character.repeat(64)}`;

const withRegistry = (registry: string, image = {}) => ({ global: { image: { registry, ...image } } });

describe('global.image.registry', () => {
  it.each(Object.entries(valuesFiles))('is the registry of all images of the %s values', async (_, files) => {
    const before = await images({}, files);
    for (const image of before) expect(image).toMatch(/^[^/]+\.[^/]+\//); // with its registry, as CRI-O requires
    const after = await images(withRegistry('mirror.test:5000/store'), files);
    expect(after.length).toBeGreaterThan(3);
    const own = before.map((image) => `mirror.test:5000/store/${image.replace(/^[^/]+\.[a-z]+\//, '')}`);
    expect(after).toEqual(own.sort());
  });

  it('is also the registry of exporter and backups, with a digest if there is one', async () => {
    const backup = { enabled: true, s3: { bucket: 'backups', existingSecret: 's3' } };
    const postgres = { metrics: { enabled: true }, backup };
    const digests = { 'postgres-exporter': digest('b') };
    const all = await images({ ...withRegistry('mirror.test', { digests }), postgres });
    expect(all.filter((image) => !image.startsWith('mirror.test/'))).toEqual([]);
    const exporter = /^mirror\.test\/prometheuscommunity\/postgres-exporter:[^@]+@sha256:b+$/;
    expect(all).toContainEqual(expect.stringMatching(exporter));
    expect(all).toContainEqual(expect.stringMatching(/^mirror\.test\/rclone\/rclone:/));
  });

  it.each([
    ['postgres:18', 'postgres:18'],
    ['team/postgres:18', 'team/postgres:18'],
    ['docker.io/library/postgres:18', 'library/postgres:18'],
    ['other.test:5000/postgres', 'postgres'],
    ['localhost/postgres:18', 'postgres:18'],
    [`postgres:18@${digest('a')}`, `postgres:18@${digest('a')}`],
  ])('makes of %s mirror.test/%s', async (image, expected) => {
    const all = await images({ ...withRegistry('mirror.test'), postgres: { image } });
    expect(all.filter((image) => image.includes('postgres'))).toEqual([`mirror.test/${expected}`]);
  });
});

describe('global.image.digests', () => {
  const names = [...topology.images, 'envoy', 'kafka', 'postgres'];

  it('pins every image that it names, and keeps the tag', async () => {
    const digests = Object.fromEntries(names.map((name) => [name, digest('b')]));
    const before = await images({});
    expect(before).toHaveLength(names.length);
    expect(await images({ global: { image: { digests } } })).toEqual(before.map((image) => `${image}@${digest('b')}`));
  });

  it.each([
    ['is kept if it is the only one', {}, `postgres:18@${digest('a')}`],
    ['is replaced by the digest for that name', { postgres: digest('b') }, `postgres:18@${digest('b')}`],
  ])('in the name of an image %s', async (_, digests, expected) => {
    const all = await images({ global: { image: { digests } }, postgres: { image: `postgres:18@${digest('a')}` } });
    expect(all.filter((image) => image.includes('postgres'))).toEqual([expected]);
  });

  it('is removed by an empty digest, for your own build', async () => {
    const image = { digests: { order: '' }, tags: { order: '4f1c9a' } };
    expect(await images({ global: { image } })).toContain('registry.example.com/store/order:4f1c9a');
  });
});

describe('the built images', () => {
  it("are the store's images that the chart can run, each from an existing Dockerfile", async () => {
    const global = { image: { repository: 'own.test/store' }, shop: { enabled: true } };
    const all = await images({ global, toolbox: { enabled: true } });
    const own = all.flatMap((image) => /^own\.test\/store\/([^:]+):/.exec(image)?.[1] ?? []);
    expect(own).toEqual(builtImages.map(({ name }) => name).sort());
    expect(builtImages.filter(({ dockerfile }) => !existsSync(join(root, dockerfile)))).toEqual([]);
  });

  it('are built by the release workflow', () => {
    const { jobs } = parse(read('.github/workflows/release.yaml'));
    // By tools/release/prepare.ts
    expect(jobs.image.strategy.matrix.image).toContain('fromJSON(needs.prepare.outputs.images)');
    const { with: inputs } = jobs.image.steps.find(({ id }: { id?: string }) => id === 'build');
    expect(inputs).toMatchObject({
      file: expect.stringContaining('matrix.image.dockerfile'),
      'build-args': expect.stringMatching(/^SERVICE=.*matrix\.image\.name/),
    });
  });

  it('have the names under which skaffold installs them', () => {
    const { build, deploy } = parse(read('skaffold.yaml'));
    const { setValues, valuesFiles } = deploy.helm.releases[0];
    expect(valuesFiles).toEqual(['charts/store/presets/dev.yaml', 'k8s/values-skaffold.yaml']);
    expect(build.artifacts.map(({ image }: { image: string }) => image)).toEqual([
      `${setValues['global.image.repository']}/dev`,
    ]);
  });

  it('run the same Node version as these tests, the local run and CI', () => {
    const { optionalDependencies } = JSON.parse(read('package.json'));
    expect(Object.values(optionalDependencies)).toContain(process.versions.node);
    const [major] = process.versions.node.split('.');
    for (const { dockerfile } of builtImages) expect(read(dockerfile)).toContain(`NODE_IMAGE=node:${major}-`);
    expect(read('.nvmrc').trim()).toBe(major);
  });

  it("give a service two thirds of its container's memory as heap", () => {
    const [, options] = /^ENV NODE_OPTIONS=(.*)$/m.exec(read('services/Dockerfile')) ?? [];
    const memory = 'Math.min(process.constrainedMemory() || Infinity, os.totalmem())';
    // The flags of the entry point request less than this on any machine.
    const args = [...nodeFlags, '--print', `v8.getHeapStatistics().heap_size_limit / ${memory}`];
    const share = execaSync(process.execPath, args, { env: { NODE_OPTIONS: options } }).stdout;
    expect(Number(share)).toBeCloseTo(2 / 3, 1);
  });
});
