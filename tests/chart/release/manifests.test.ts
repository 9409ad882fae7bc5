import { readFileSync } from 'node:fs';
import { cp, mkdir, readFile, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { parse, stringify } from 'yaml';
import { template } from '../../../tools/chart/helm.ts';
import { imagesFile, objectsIn, renderChart, valuesFiles } from '../../../tools/chart/render.ts';
import { root } from '../../../tools/paths.ts';
import { filesBelow } from '../../docs/_documents.ts';
import { useFolder } from '../../kit/folder.ts';
import { read } from '../../kit/read.ts';
import { type Manifest, manifests } from '../_manifests.ts';

// Promises to Argo CD and Flux (docs/gitops.md, examples/gitops), to users who select objects by label, and to charts that depend on this one.

const everything = { monitoring: { enabled: true, alerts: { enabled: true }, dashboard: { enabled: true } } };

/** Workloads of version 0.1.0. Add a new one after its first release. */
const released = [
  ...['account', 'analytics', 'auth', 'gateway', 'inventory', 'invoice', 'notification', 'order', 'orderworker'],
  ...['payment', 'postgres', 'product', 'status'],
];

/** Strimzi copies the labels of these objects to its pods, and replaces the pods if a label changes (tests/chart/kafka). */
const isCopied = ({ kind }: Manifest) => kind === 'Kafka' || kind === 'KafkaNodePool';

describe.each(Object.entries(valuesFiles))('the manifests with %s values', (_, files) => {
  it('contain no Secret, and are the same every time', async () => {
    const text = await renderChart(files);
    expect(text).not.toMatch(/^kind: Secret$/m);
    expect(await renderChart(files)).toBe(text);
  });

  it('have the recommended labels', async () => {
    const recommended = ['name', 'instance', 'version', 'component', 'part-of', 'managed-by'];
    for (const one of (await manifests(everything, files)).all) {
      if (isCopied(one)) continue;
      const labels = Object.keys(one.metadata.labels);
      const missing = recommended.filter((name) => !labels.includes(`app.kubernetes.io/${name}`));
      expect([one.kind, one.metadata.name, missing]).toEqual([one.kind, one.metadata.name, []]);
      expect(one.metadata.labels['helm.sh/chart']).toMatch(/^[a-z]+-\d+\.\d+\.\d+$/);
    }
  });

  it('have common labels on every object and pod, and in no selector', async () => {
    const common = { team: 'shop', 'example.com/cost-centre': '42' };
    const { all } = await manifests({ ...everything, global: { commonLabels: common } }, files);
    const templates = all.flatMap(({ spec }) => (spec?.template?.spec ? [spec.template] : []));
    const labelled = all.filter((one) => !isCopied(one));
    for (const { metadata } of [...labelled, ...templates]) expect(metadata.labels).toMatchObject(common);
    const selectors = (of: Manifest[]) => JSON.stringify(of).match(/"(matchLabels|selector)":\{[^}]*\}/g);
    expect(selectors(all)).toEqual(selectors((await manifests(everything, files)).all));
  });

  it('keep what an upgrade from version 0.1.0 cannot change: selectors, and the Service of postgres', async () => {
    const { named } = await manifests(everything, files);
    const workloads = released.flatMap((name) => named('Deployment', name) ?? named('StatefulSet', name) ?? []);
    expect(workloads.length).toBeGreaterThan(11);
    for (const { metadata, spec } of workloads) {
      const { name } = metadata;
      const matchLabels = { 'app.kubernetes.io/name': name, 'app.kubernetes.io/instance': 'store' };
      expect([name, spec.selector]).toEqual([name, { matchLabels }]);
      if (name === 'postgres') expect(spec.serviceName).toBe(name);
    }
  });
});

describe('the templates', () => {
  it('use no random values, time, or Helm’s own certificates and passwords', async () => {
    const random =
      /\b(rand\w+|shuffle|uuidv4|now|ago|unixEpoch|htpasswd|bcrypt|encryptAES|derivePassword|gen[A-Z]\w+)\b/;
    const templates = filesBelow('charts/store').filter((file) => /\/templates\//.test(file));
    expect(templates.length).toBeGreaterThan(20);
    for (const file of templates) {
      const actions = [...(await readFile(file, 'utf8')).matchAll(/\{\{[\s\S]*?\}\}/g)].map(([action]) => action);
      expect([file, actions.filter((action) => random.test(action))]).toEqual([file, []]);
    }
  });

  it('allow a label for the Prometheus operator that is also a common label', async () => {
    const { one } = await manifests({
      monitoring: { enabled: true, labels: { release: 'prometheus' } },
      global: { commonLabels: { release: 'other' } },
    });
    expect(one('PodMonitor').metadata.labels.release).toBe('prometheus');
  });
});

describe('the examples for Argo CD and Flux', () => {
  const examples = filesBelow('examples/gitops').flatMap((file) => objectsIn(readFileSync(file, 'utf8')));
  const example = (kind: string) => examples.find((one) => one.kind === kind).spec;
  const [chart, sources] = example('Application').sources;

  it('take the chart from the registry of releases', () => {
    const { repository } = parse(read(imagesFile)).global.image;
    expect(`${chart.repoURL}/${chart.chart}`).toBe(`${repository}/charts/store`);
    expect(sources.targetRevision).toBe(`v${chart.targetRevision}`);
    const { url, ref } = example('OCIRepository');
    expect({ url, tag: ref.tag }).toEqual({ url: `oci://${repository}/charts/store`, tag: chart.targetRevision });
  });

  it.each([
    ['Argo CD', chart.helm.valuesObject],
    ['Flux', example('HelmRelease').values],
  ])('have the values that production needs: %s', async (_, values) => {
    expect(await renderChart(valuesFiles.prod, values)).toContain('https://shop.example.com');
  });
});

describe('as a dependency of another chart, the store', () => {
  const dir = useFolder();
  beforeAll(async () => {
    await mkdir(join(dir, 'charts'));
    await cp(join(root, 'charts/store'), join(dir, 'charts/store'), { recursive: true });
    const dependencies = [{ name: 'store', version: '0.1.0' }];
    const parent = { apiVersion: 'v2', name: 'shop', version: '7.1.0', appVersion: '7.1.0', dependencies };
    await writeFile(join(dir, 'Chart.yaml'), stringify(parent));
  });
  const render = async (values: object) => objectsIn(await template(dir, [], values));

  it('renders as it does alone, with global values of other charts beside its own', async () => {
    const own = { image: { registry: 'mirror.test', repository: 'store' }, commonLabels: { team: 'shop' } };
    const store = { order: { replicas: 2 }, gateway: { service: { port: 80 } } };
    const foreign = { imageRegistry: 'other.test', storageClass: 'fast', postgresql: { auth: { username: 'shop' } } };
    const byName = (all: Manifest[]) => Object.fromEntries(all.map((one) => [`${one.kind}/${one.metadata.name}`, one]));
    const below = await render({ store, global: { ...own, ...foreign } });
    expect(byName(below)).toEqual(byName((await manifests({ ...store, global: own })).all));
  });

  it('still refuses mistakes in its own global values', async () => {
    await expect(render({ global: { image: { registy: 'x' } } })).rejects.toThrow(/registy/);
  });
});
