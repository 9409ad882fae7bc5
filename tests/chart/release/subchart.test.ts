import { cp, mkdir, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { stringify } from 'yaml';
import { template } from '../../../tools/chart/helm.ts';
import { objectsIn, renderObjects } from '../../../tools/chart/render.ts';
import { root } from '../../../tools/paths.ts';
import { useFolder } from '../../kit/folder.ts';

// The store as a dependency of another chart.

const dir = useFolder();
beforeAll(async () => {
  await mkdir(join(dir, 'charts'));
  await cp(join(root, 'charts/store'), join(dir, 'charts/store'), { recursive: true });
  const dependencies = [{ name: 'store', version: '0.1.0' }];
  await writeFile(
    join(dir, 'Chart.yaml'),
    stringify({ apiVersion: 'v2', name: 'shop', version: '7.1.0', appVersion: '7.1.0', dependencies }),
  );
});

const render = async (values: object) => objectsIn(await template(dir, [], values));

it('is what it is by itself, with the global values of others beside its own', async () => {
  const own = { image: { registry: 'mirror.test', repository: 'store' }, commonLabels: { team: 'shop' } };
  const store = { order: { replicas: 2 }, gateway: { service: { port: 80 } } };
  const foreign = { imageRegistry: 'other.test', storageClass: 'fast', postgresql: { auth: { username: 'shop' } } };
  const alone = await renderObjects({ ...store, global: own });
  const below = await render({ store, global: { ...own, ...foreign } });
  const nameOf = ({ kind, metadata }: (typeof alone)[number]) => `${kind}/${metadata.name}`;
  const byName = (all: typeof alone) => Object.fromEntries(all.map((one) => [nameOf(one), one]));
  expect(byName(below)).toEqual(byName(alone));
});

it('still refuses what is wrong in its own global values', async () => {
  await expect(render({ global: { image: { registy: 'x' } } })).rejects.toThrow(/registy/);
});
