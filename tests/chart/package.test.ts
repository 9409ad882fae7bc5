import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { execa } from 'execa';
import { parseAllDocuments } from 'yaml';
import { provideHelm } from '../../tools/local/downloads/helm.ts';
import { root } from '../../tools/paths.ts';
import { topology } from '../../tools/topology/topology.ts';

let dir: string;
let helm: (...args: string[]) => Promise<{ stdout: string; stderr: string }>;

beforeAll(async () => {
  dir = await mkdtemp(join(tmpdir(), 'store-package-'));
  const file = await provideHelm();
  helm = (...args) => execa(file, args, { cwd: root, reject: false });
});
afterAll(() => rm(dir, { recursive: true, force: true }));

const makePackage = (...args: string[]) =>
  execa('node', ['--import', 'tsx', 'tools/chart/package.ts', ...args], { cwd: root, reject: false, all: true });

/** Every image in the manifests, without repetition. */
function imagesIn(manifests: string): string[] {
  const found = JSON.stringify(parseAllDocuments(manifests).map((document) => document.toJS()));
  return [...new Set([...found.matchAll(/"image":"([^"]+)"/g)].map(([, image = '']) => image))].sort();
}

describe('make package', () => {
  it('gives every image of the store the version of the chart, and the repository', async () => {
    const { exitCode, stdout } = await makePackage('0.2.0', '--images', 'registry.example.com/store', '--to', dir);
    expect({ exitCode, stdout }).toEqual({ exitCode: 0, stdout: join(dir, 'store-0.2.0.tgz') });
    const images = imagesIn((await helm('template', 'store', join(dir, 'store-0.2.0.tgz'))).stdout);
    const own = images.filter((image) => image.startsWith('registry.example.com/store/'));
    const names = [...new Set(topology.services.map(({ image }) => image))].sort();
    expect(own).toEqual(names.map((name) => `registry.example.com/store/${name}:0.2.0`));
    expect(images.filter((image) => !own.includes(image))).toEqual([
      expect.stringMatching(/^envoyproxy\/envoy:v/),
      expect.stringMatching(/^postgres:/),
    ]);
    const { stdout: chart } = await helm('show', 'chart', join(dir, 'store-0.2.0.tgz'));
    expect(chart).toMatch(/^appVersion: 0\.2\.0$[\s\S]*^version: 0\.2\.0$/m);
  });

  it.each(['', 'v0.2.0', '0.2', 'latest'])('refuses VERSION=%s', async (version) => {
    const { exitCode, all } = await makePackage(version, '--to', dir);
    expect({ exitCode, all }).toEqual({
      exitCode: 1,
      all: `VERSION=${version} is no version. Give three numbers, as in make package VERSION=0.2.0`,
    });
  });
});

it('the chart refuses to run services of another version', async () => {
  await helm('package', 'charts/store', '--version', '0.3.0', '--app-version', '0.3.0', '--destination', dir);
  const { stdout, stderr } = await helm('template', 'store', join(dir, 'store-0.3.0.tgz'));
  expect(stdout).toBe('');
  expect(stderr).toContain(
    'The chart is 0.3.0, but its services are 0.1.0. make package VERSION=0.3.0 gives both one version.',
  );
});
