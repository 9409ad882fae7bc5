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

it('the project has one name everywhere', () => {
  const files = [
    'README.md',
    'SECURITY.md',
    'docs/kubernetes.md',
    'charts/store/README.md',
    'charts/store/values.yaml',
  ];
  for (const file of files) {
    const text = read(file).replaceAll('ghcr.io/cloudnative-pg/', ''); // the images of the operator's project
    const names = [...text.matchAll(/(?:github\.com|ghcr\.io)\/([\w-]+\/[\w-]+)/g)].map(([, name]) => name);
    expect({ file, names: [...new Set(names)] }).toEqual({ file, names: [project] });
  }
});
