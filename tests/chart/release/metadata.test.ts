import { existsSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { parse } from 'yaml';
import { root } from '../../../tools/paths.ts';

const read = (path: string) => readFileSync(join(root, path), 'utf8');
const chart = parse(read('charts/store/Chart.yaml'));
const project = 'store-platform/store-platform';

it('the chart says where it comes from', () => {
  expect(chart).toMatchObject({
    home: `https://github.com/${project}`,
    sources: [`https://github.com/${project}`],
    kubeVersion: expect.any(String),
    keywords: expect.arrayContaining(['store']),
    annotations: { 'artifacthub.io/license': parse(read('package.json')).license },
  });
  const [, icon = ''] = chart.icon.split(`https://raw.githubusercontent.com/${project}/main/`);
  expect(existsSync(join(root, icon))).toBe(true);
});

it('the links for Artifact Hub lead to files that exist', () => {
  const links: { url: string }[] = parse(chart.annotations['artifacthub.io/links']);
  const files = links.flatMap(({ url }) => url.split(`${chart.home}/blob/main/`)[1] ?? []);
  expect(files.length).toBeGreaterThan(2);
  expect(files.filter((file) => !existsSync(join(root, file)))).toEqual([]);
});

const files = [
  'README.md',
  'SECURITY.md',
  'docs/kubernetes.md',
  'docs/release.md',
  'examples/gitops/argo-cd.yaml',
  'examples/gitops/flux.yaml',
  'charts/store/README.md',
  'charts/store/values.yaml',
];

it.each(files)('%s has the one name of the project, or none', (file) => {
  const names = [...read(file).matchAll(/github\.com\/([\w-]+\/[\w-]+)/g)].map(([, name]) => name);
  expect(names.filter((name) => name !== project && name !== 'example/store')).toEqual([]);
});

it.each(files)('%s sends nobody to a registry of this name, which may be anybody’s', (file) => {
  expect(read(file)).not.toContain(`ghcr.io/${project}`);
});
