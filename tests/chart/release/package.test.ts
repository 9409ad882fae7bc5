import { cp, mkdir, readFile, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { execa } from 'execa';
import { parse } from 'yaml';
import { template } from '../../../tools/chart/helm.ts';
import { objectsIn } from '../../../tools/chart/render.ts';
import { root } from '../../../tools/paths.ts';
import { builtImages } from '../../../tools/topology/images.ts';
import { useFolder } from '../../kit/folder.ts';

const dir = useFolder();

const makePackage = (...args: string[]) =>
  execa('node', ['tools/chart/package.ts', ...args], { cwd: root, reject: false, all: true });

const at = ['--images', 'registry.example.com/store'];
const withAll = { global: { shop: { enabled: true } }, toolbox: { enabled: true } };

/** Every image in the manifests, without repetition. */
function imagesIn(manifests: string): string[] {
  const found = JSON.stringify(objectsIn(manifests));
  return [...new Set([...found.matchAll(/"image":"([^"]+)"/g)].map(([, image = '']) => image))].sort();
}

describe('make package', () => {
  it('gives every image of the store the version of the chart, and the repository', async () => {
    const { exitCode, stdout } = await makePackage('0.2.0', ...at, '--to', dir);
    expect({ exitCode, stdout }).toEqual({ exitCode: 0, stdout: join(dir, 'store-0.2.0.tgz') });
    await execa('tar', ['-xzf', 'store-0.2.0.tgz'], { cwd: dir });
    await expect(readFile(join(dir, 'store/presets/prod.yaml'), 'utf8')).resolves.toContain('profile: prod');
    const images = imagesIn(await template(join(dir, 'store'), [], withAll));
    const own = images.filter((image) => image.startsWith('registry.example.com/store/'));
    const names = builtImages.map(({ name }) => name).sort();
    expect(own).toEqual(names.map((name) => `registry.example.com/store/${name}:0.2.0`));
    expect(images.filter((image) => !own.includes(image))).toEqual([
      expect.stringMatching(/^docker\.io\/apache\/kafka:/),
      expect.stringMatching(/^docker\.io\/envoyproxy\/envoy:v/),
      expect.stringMatching(/^docker\.io\/library\/postgres:/),
    ]);
    expect(parse(await readFile(join(dir, 'store/Chart.yaml'), 'utf8'))).toMatchObject({
      version: '0.2.0',
      appVersion: '0.2.0',
    });
    for (const subchart of ['gateway', 'kafka', 'postgres', 'service'])
      expect(parse(await readFile(join(dir, 'store/charts', subchart, 'Chart.yaml'), 'utf8')).version).toBe('0.2.0');
  });

  const digests = Object.fromEntries(builtImages.map(({ name }) => [name, `sha256:${'c'.repeat(64)}`]));
  const writeDigests = async (content: object) => {
    const file = join(dir, 'digests.json');
    await writeFile(file, JSON.stringify(content));
    return file;
  };

  it('pins the images to their digests, and lists all images for Artifact Hub', async () => {
    const pinnedToo = { ...digests, postgres: `sha256:${'d'.repeat(64)}` };
    const { exitCode, all } = await makePackage(
      '0.3.0',
      ...at,
      '--digests',
      await writeDigests(pinnedToo),
      '--to',
      dir,
    );
    expect({ exitCode, all }).toEqual({ exitCode: 0, all: join(dir, 'store-0.3.0.tgz') });
    const pinned = join(dir, 'pinned');
    await mkdir(pinned);
    await execa('tar', ['-xzf', 'store-0.3.0.tgz', '-C', pinned], { cwd: dir });
    const images = imagesIn(await template(join(pinned, 'store'), [], withAll));
    const own = images.filter((image) => image.endsWith(`:0.3.0@sha256:${'c'.repeat(64)}`));
    expect(own).toHaveLength(builtImages.length);
    expect(images).toContainEqual(expect.stringMatching(/^docker\.io\/library\/postgres:.*@sha256:d{64}$/));
    const { annotations } = parse(await readFile(join(pinned, 'store/Chart.yaml'), 'utf8'));
    const listed: { image: string }[] = parse(annotations['artifacthub.io/images']);
    const every = listed.map(({ image }) => image);
    expect(every).toEqual(expect.arrayContaining(images));
    expect(every.filter((image) => !images.includes(image))).toEqual([
      expect.stringMatching(/^ghcr\.io\/cloudnative-pg\/postgresql:/),
      expect.stringMatching(/^quay\.io\/prometheuscommunity\/postgres-exporter:/),
      expect.stringMatching(/^docker\.io\/rclone\/rclone:/),
    ]);
  });

  it('tells Artifact Hub what the version has changed, by the changelog', async () => {
    const to = join(dir, 'changed');
    await makePackage('0.1.0', '--to', to);
    const { stdout } = await execa('tar', ['-xOf', join(to, 'store-0.1.0.tgz'), 'store/Chart.yaml']);
    const changes: object[] = parse(parse(stdout).annotations['artifacthub.io/changes']);
    expect(changes.length).toBeGreaterThan(2);
    for (const change of changes)
      expect(change).toEqual({
        kind: expect.stringMatching(/^(added|changed|deprecated|removed|fixed|security)$/),
        description: expect.stringMatching(/^\S.*\S$/),
      });
  });

  it.each([
    ['lacks one', { ...digests, order: undefined }, /has no digest of order\./],
    ['has one of no image', { ...digests, mysql: digests.order }, /has digests of mysql, which the chart does not run/],
    ['has a tag', { ...digests, order: '0.3.0' }, /is no map of images to digests[\s\S]*order/],
  ])('refuses a file of digests that %s', async (_, content, message) => {
    const { exitCode, all } = await makePackage('0.3.0', '--digests', await writeDigests(content), '--to', dir);
    expect({ exitCode, all }).toEqual({ exitCode: 1, all: expect.stringMatching(message) });
  });

  it.each(['', 'v0.2.0', '0.2', 'latest'])('refuses VERSION=%s', async (version) => {
    const { exitCode, all } = await makePackage(version, '--to', dir);
    expect({ exitCode, all }).toEqual({
      exitCode: 1,
      all: `VERSION=${version} is no version. Give three numbers, as in make package VERSION=0.2.0`,
    });
  });
});

it('the chart of the sources says that it has no images', async () => {
  await expect(template('charts/store')).rejects.toThrow(
    'global.image.repository does not say where the images are, and the sources come without any: build them with make images',
  );
});

it('the chart refuses to run services of another version', async () => {
  // As helm package --version 0.3.0 --app-version 0.3.0 would make it.
  const chart = join(dir, 'store-0.3.0');
  await cp(join(root, 'charts/store'), chart, { recursive: true });
  const file = join(chart, 'Chart.yaml');
  await writeFile(file, (await readFile(file, 'utf8')).replace(/^((?:appV|v)ersion): .*$/gm, '$1: 0.3.0'));
  await expect(template(chart)).rejects.toThrow(
    'The chart is 0.3.0, but its services are 0.1.0. make package VERSION=0.3.0 gives both one version.',
  );
});
