import { cp, mkdir, mkdtemp, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { parseAllDocuments, stringify } from 'yaml';
import { template } from '../../../tools/chart/helm.ts';
import { renderChart } from '../../../tools/chart/render.ts';
import { root } from '../../../tools/paths.ts';

// The store as a dependency of another chart.

let dir: string;
beforeAll(async () => {
  dir = await mkdtemp(join(tmpdir(), 'store-subchart-'));
  await mkdir(join(dir, 'charts'));
  await cp(join(root, 'charts/store'), join(dir, 'charts/store'), { recursive: true });
  const dependencies = [{ name: 'store', version: '0.1.0' }];
  await writeFile(
    join(dir, 'Chart.yaml'),
    stringify({ apiVersion: 'v2', name: 'shop', version: '7.1.0', appVersion: '7.1.0', dependencies }),
  );
});
afterAll(() => rm(dir, { recursive: true }));

const render = async (values: object) =>
  parseAllDocuments(await template(dir, [], values)).map((document) => document.toJS());

it('is what it is by itself, with the global values of others beside its own', async () => {
  const own = { image: { registry: 'mirror.test', repository: 'store' }, commonLabels: { team: 'shop' } };
  const store = { order: { replicas: 2 }, gateway: { service: { port: 80 } } };
  const foreign = { imageRegistry: 'other.test', storageClass: 'fast', postgresql: { auth: { username: 'shop' } } };
  const alone = parseAllDocuments(await renderChart([], { ...store, global: own })).map((document) => document.toJS());
  const below = await render({ store, global: { ...own, ...foreign } });
  const nameOf = ({ kind, metadata }: (typeof alone)[number]) => `${kind}/${metadata.name}`;
  const byName = (all: typeof alone) => Object.fromEntries(all.map((one) => [nameOf(one), one]));
  expect(byName(below)).toEqual(byName(alone));
});

it('still refuses what is wrong in its own global values', async () => {
  await expect(render({ global: { image: { registy: 'x' } } })).rejects.toThrow(/registy/);
});
