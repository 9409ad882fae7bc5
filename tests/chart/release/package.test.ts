import { existsSync, readdirSync } from 'node:fs';
import { cp, mkdir, mkdtemp, readFile, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { execa } from 'execa';
import { parse } from 'yaml';
import { template } from '../../../tools/chart/helm.ts';
import { objectsIn } from '../../../tools/chart/render.ts';
import { root } from '../../../tools/paths.ts';
import { builtImages } from '../../../tools/topology/images.ts';
import { useFolder } from '../../kit/folder.ts';
import { read } from '../../kit/read.ts';
import { imagesIn } from '../_manifests.ts';

const dir = useFolder();

const makePackage = (...args: string[]) =>
  execa('node', ['tools/chart/package.ts', ...args], { cwd: root, reject: false, all: true });

const at = ['--images', 'registry.example.com/store'];
const withAll = { global: { shop: { enabled: true } }, toolbox: { enabled: true } };

describe('make package', () => {
  it('gives every image of the store the version of the chart, and the repository', async () => {
    const { exitCode, stdout } = await makePackage('0.2.0', ...at, '--to', dir);
    expect({ exitCode, stdout }).toEqual({ exitCode: 0, stdout: join(dir, 'store-0.2.0.tgz') });
    await execa('tar', ['-xzf', 'store-0.2.0.tgz'], { cwd: dir });
    await expect(readFile(join(dir, 'store/presets/prod.yaml'), 'utf8')).resolves.toContain('profile: prod');
    const images = imagesIn(objectsIn(await template(join(dir, 'store'), [], withAll)));
    const own = images.filter((image) => image.startsWith('registry.example.com/store/'));
    const names = builtImages.map(({ name }) => name).sort();
    expect(own).toEqual(names.map((name) => `registry.example.com/store/${name}:0.2.0`));
    expect(images.filter((image) => !own.includes(image))).toEqual([
      expect.stringMatching(/^docker\.io\/apache\/kafka:/),
      expect.stringMatching(/^docker\.io\/envoyproxy\/envoy:v/),
      expect.stringMatching(/^docker\.io\/library\/postgres:/),
    ]);
    const chartIn = async (folder: string) => parse(await readFile(join(dir, folder, 'Chart.yaml'), 'utf8'));
    expect(await chartIn('store')).toMatchObject({ version: '0.2.0', appVersion: '0.2.0' });
    for (const subchart of ['gateway', 'kafka', 'postgres', 'service'])
      expect((await chartIn(`store/charts/${subchart}`)).version).toBe('0.2.0');
  });

  const digests = Object.fromEntries(builtImages.map(({ name }) => [name, `sha256:${'c'.repeat(64)}`]));
  const writeDigests = async (content: object) => {
    const file = join(dir, 'digests.json');
    await writeFile(file, JSON.stringify(content));
    return file;
  };

  it('pins the images to their digests, and lists all images for Artifact Hub', async () => {
    const file = await writeDigests({ ...digests, postgres: `sha256:${'d'.repeat(64)}` });
    const { exitCode, all } = await makePackage('0.3.0', ...at, '--digests', file, '--to', dir);
    expect({ exitCode, all }).toEqual({ exitCode: 0, all: join(dir, 'store-0.3.0.tgz') });
    const pinned = join(dir, 'pinned');
    await mkdir(pinned);
    await execa('tar', ['-xzf', 'store-0.3.0.tgz', '-C', pinned], { cwd: dir });
    const images = imagesIn(objectsIn(await template(join(pinned, 'store'), [], withAll)));
    const own = images.filter((image) => image.endsWith(`:0.3.0@sha256:${'c'.repeat(64)}`));
    expect(own).toHaveLength(builtImages.length);
    expect(images).toContainEqual(expect.stringMatching(/^docker\.io\/library\/postgres:.*@sha256:d{64}$/));
    const { annotations } = parse(await readFile(join(pinned, 'store/Chart.yaml'), 'utf8'));
    const listed: { image: string }[] = parse(annotations['artifacthub.io/images']);
    const every = listed.map(({ image }) => image);
    expect(every).toEqual(expect.arrayContaining(images));
    expect(every.filter((image) => !images.includes(image))).toEqual([
      expect.stringMatching(/^ghcr\.io\/cloudnative-pg\/postgresql:/),
      expect.stringMatching(/^ghcr\.io\/cloudnative-pg\/pgbouncer:/),
      expect.stringMatching(/^quay\.io\/prometheuscommunity\/postgres-exporter:/),
      expect.stringMatching(/^docker\.io\/rclone\/rclone:/),
    ]);
  });

  it.each([
    ['lacks one', { ...digests, order: undefined }, /has no digest for order\./],
    [
      'has a digest of an unknown image',
      { ...digests, mysql: digests.order },
      /has digests for mysql, which the chart does not run/,
    ],
    ['has a tag', { ...digests, order: '0.3.0' }, /is not a map of images to digests[\s\S]*order/],
  ])('refuses a file of digests that %s', async (_, content, message) => {
    const { exitCode, all } = await makePackage('0.3.0', '--digests', await writeDigests(content), '--to', dir);
    expect({ exitCode, all }).toEqual({ exitCode: 1, all: expect.stringMatching(message) });
  });

  it.each(['', 'v0.2.0', '0.2', 'latest'])('refuses VERSION=%s', async (version) => {
    const { exitCode, all } = await makePackage(version, '--to', dir);
    const said = `VERSION=${version} is not a version. Give three numbers, as in make package VERSION=0.2.0`;
    expect({ exitCode, all }).toEqual({ exitCode: 1, all: said });
  });
});

describe('the chart of the sources', () => {
  const chart = parse(read('charts/store/Chart.yaml'));

  it('says that the sources have no images', async () => {
    const said = 'global.image.repository is empty, and the sources come without images: build';
    await expect(template('charts/store')).rejects.toThrow(said);
  });

  it('refuses to run services of another version', async () => {
    // As made by helm package --version 0.3.0 --app-version 0.3.0.
    const copy = join(dir, 'store-0.3.0');
    await cp(join(root, 'charts/store'), copy, { recursive: true });
    const text = read('charts/store/Chart.yaml').replace(/^((?:appV|v)ersion): .*$/gm, '$1: 0.3.0');
    await writeFile(join(copy, 'Chart.yaml'), text);
    const said = 'The chart is 0.3.0, but its services are 0.1.0. make package VERSION=0.3.0 gives both one version.';
    await expect(template(copy)).rejects.toThrow(said);
  });

  it('names no project, and a package links to existing files at its version', async () => {
    expect(Object.keys(chart)).toEqual(expect.not.arrayContaining(['home']));
    expect(chart).toMatchObject({
      kubeVersion: expect.any(String),
      keywords: expect.arrayContaining(['store']),
      annotations: { 'artifacthub.io/license': parse(read('package.json')).license },
    });
    for (const file of ['Chart.yaml', 'README.md']) expect(read(`charts/store/${file}`)).not.toContain('github.com');
    const project = 'https://github.com/example/store';
    const { exitCode, all } = await makePackage('0.4.0', '--project', `${project}/`, '--to', dir);
    expect({ exitCode, all }).toEqual({ exitCode: 0, all: join(dir, 'store-0.4.0.tgz') });
    const named = await mkdtemp(join(dir, 'named-'));
    await execa('tar', ['-xzf', 'store-0.4.0.tgz', '-C', named], { cwd: dir });
    const { home, sources, icon, annotations } = parse(await readFile(join(named, 'store/Chart.yaml'), 'utf8'));
    expect([home, sources]).toEqual([project, [project]]);
    const links: { url: string }[] = parse(annotations['artifacthub.io/links']);
    const readme = await readFile(join(named, 'store/README.md'), 'utf8');
    const urls = [
      icon,
      ...links.map(({ url }) => url),
      ...[...readme.matchAll(/\]\((https:[^)]+)\)/g)].map(([, url]) => url),
    ];
    const files = urls.flatMap((url) => /\/(?:blob|raw)\/v0\.4\.0\/(.+)/.exec(url)?.[1] ?? []);
    expect(files.length).toBeGreaterThan(5);
    expect(files.filter((file) => !existsSync(join(root, file)))).toEqual([]);
  });

  it('has no document that points to a project or registry whose name anyone could take', () => {
    const documents = ['README.md', 'SECURITY.md', 'docs/kubernetes.md', 'docs/release.md'];
    const examples = ['examples/gitops/argo-cd.yaml', 'examples/gitops/flux.yaml'];
    for (const file of [...documents, ...examples, 'charts/store/README.md', 'charts/store/values.yaml']) {
      const names = [...read(file).matchAll(/github\.com\/([\w-]+\/[\w-]+)/g)].map(([, name]) => name);
      expect([file, names.filter((name) => name !== 'example/store')]).toEqual([file, []]);
      expect(read(file)).not.toContain('ghcr.io/store-platform');
    }
  });
});

it('is released with the client under its owner’s name and with its sources, or without the client', async () => {
  const { client } = parse(read('.github/workflows/release.yaml')).jobs;
  expect(client.if).toBe("vars.NPM_PACKAGE != ''");
  const [naming = ''] = client.steps.flatMap(({ run = '' }: { run?: string }) =>
    run.startsWith('npm pkg') ? run : [],
  );
  const folder = join(dir, 'workspace');
  await mkdir(join(folder, 'clients/typescript'), { recursive: true });
  await writeFile(join(folder, 'package.json'), JSON.stringify({ workspaces: ['clients/*'] }));
  const file = join(folder, 'clients/typescript/package.json');
  await writeFile(file, read('clients/typescript/package.json'));
  expect(await readFile(file, 'utf8')).not.toContain('github.com');
  const project = { GITHUB_SERVER_URL: 'https://github.com', GITHUB_REPOSITORY: 'example/store' };
  await execa('sh', ['-c', naming], { cwd: folder, env: { ...project, NPM_PACKAGE: '@example/store-client' } });
  expect(JSON.parse(await readFile(file, 'utf8'))).toMatchObject({
    name: '@example/store-client',
    version: expect.any(String),
    repository: { type: 'git', url: 'git+https://github.com/example/store.git', directory: 'clients/typescript' },
  });
});

describe('the workflows', () => {
  interface Job {
    permissions?: Record<string, string>;
    strategy?: { matrix: Record<string, string[]> };
    steps: { uses?: string }[];
  }
  const workflow = (file: string): { on: { schedule?: { cron: string }[] }; jobs: Record<string, Job> } =>
    parse(read(`.github/workflows/${file}`));

  it('run actions by digest if they may publish or sign', () => {
    const jobs = readdirSync(join(root, '.github/workflows')).flatMap((file) => Object.values(workflow(file).jobs));
    const trusted = jobs.filter(({ permissions = {} }) => Object.values(permissions).includes('write'));
    const actions = trusted.flatMap(({ steps }) => steps.flatMap(({ uses }) => uses ?? []));
    expect(actions.length).toBeGreaterThan(10);
    expect(actions.filter((action) => !/@[0-9a-f]{40}$/.test(action))).toEqual([]);
  });

  it('scan the images of the last release every week', () => {
    expect(workflow('scan.yaml').on.schedule?.[0]?.cron).toMatch(/^\d+ \d+ \* \* [0-6]$/);
  });

  it('test the chart with the oldest supported and the newest used Kubernetes, with Helm 3 and 4', () => {
    const { kubeVersion } = parse(read('charts/store/Chart.yaml'));
    const [, newest] = /kindest\/node:v([\d.]+)/.exec(read('kind-config.yaml')) ?? [];
    const { kubernetes = [], helm = [] } = workflow('ci.yaml').jobs.chart?.strategy?.matrix ?? {};
    expect(kubernetes).toEqual([kubeVersion.replace(/^>=(.*)-0$/, '$1'), newest]);
    expect(helm.map((version) => version.slice(0, 2))).toEqual(['v3', 'v4']);
  });
});
