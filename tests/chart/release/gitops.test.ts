import { readFileSync } from 'node:fs';
import { parse } from 'yaml';
import { imagesFile, objectsIn, renderChart, renderObjects, valuesFiles } from '../../../tools/chart/render.ts';
import { root } from '../../../tools/paths.ts';
import { filesBelow } from '../../docs/_documents.ts';
import { renderEdited } from '../_edited-chart.ts';

// Promises to Argo CD and Flux (docs/gitops.md, examples/gitops).

const templates = filesBelow('charts/store')
  .filter((file) => /\/templates\//.test(file))
  .map((file) => ({ path: file.slice(root.length + 1), text: readFileSync(file, 'utf8') }));

it.each(Object.entries(valuesFiles))('the %s values give the same manifests every time', async (_, files) => {
  const [one, other] = await Promise.all([renderChart(files), renderChart(files)]);
  expect(other).toBe(one);
});

it('no template uses chance, the time, or Helm’s own certificates and passwords', () => {
  const random = /\b(rand\w+|shuffle|uuidv4|now|ago|unixEpoch|htpasswd|bcrypt|encryptAES|derivePassword|gen[A-Z]\w+)\b/;
  const isUsed = (text: string) => [...text.matchAll(/\{\{[\s\S]*?\}\}/g)].some(([action]) => random.test(action));
  expect(templates.length).toBeGreaterThan(20);
  expect(templates.filter(({ text }) => isUsed(text)).map(({ path }) => path)).toEqual([]);
});

it('what the cluster answers changes nothing but the replicas under an autoscaler, it only refuses', async () => {
  const asking = templates.filter(({ text }) => /\blookup "/.test(text)).map(({ path }) => path);
  const [notes, ...others] = asking.toSorted(
    (a, b) => Number(b.endsWith('NOTES.txt')) - Number(a.endsWith('NOTES.txt')),
  );
  expect(notes).toBe('charts/store/templates/NOTES.txt');
  const values = { global: { jwt: { existingSecret: 'keys' }, internal: { existingSecret: 'callers' } } };
  const found =
    'dict "data" (dict "auth" "x" "inventory" "x" "order" "x" "notification" "x" "operator" "x" "JWT_PRIVATE_KEY" "x")';
  const answer = (text: string) => text.replaceAll(/lookup "\S+" "\S+" \S+ (?:"[^"]+"|[^\s()]+)/g, found);
  const edits = Object.fromEntries(others.map((path) => [path.replace('charts/store/', ''), answer]));
  expect(await renderEdited(edits, values)).toBe(await renderEdited({}, values));

  const lacking = (text: string) => answer(text).replaceAll(found, 'dict "data" dict');
  const refusing = Object.fromEntries(others.map((path) => [path.replace('charts/store/', ''), lacking]));
  await expect(renderEdited(refusing, values)).rejects.toThrow('the Secret keys has neither');
});

it('replicas are not in the manifests where an autoscaler decides', async () => {
  const manifests = await renderObjects({}, valuesFiles.prod);
  const scaled = manifests.filter(({ kind }) => kind === 'HorizontalPodAutoscaler');
  const names = scaled.map(({ spec }) => spec.scaleTargetRef.name);
  expect(names.length).toBeGreaterThan(3);
  const deployments = manifests.filter(({ kind, metadata }) => kind === 'Deployment' && names.includes(metadata.name));
  expect(deployments.map(({ spec }) => spec.replicas)).toEqual(names.map(() => undefined));
});

describe('the examples', () => {
  const examples = filesBelow('examples/gitops').flatMap((file) => objectsIn(readFileSync(file, 'utf8')));
  const example = (kind: string) => examples.find((one) => one.kind === kind).spec;
  const { repository } = parse(readFileSync(`${root}/${imagesFile}`, 'utf8')).global.image;
  const [chart, sources] = example('Application').sources;

  it('take the chart from where a release is', () => {
    expect(`${chart.repoURL}/${chart.chart}`).toBe(`${repository}/charts/store`);
    expect(sources.targetRevision).toBe(`v${chart.targetRevision}`);
    const { url, ref } = example('OCIRepository');
    expect({ url, tag: ref.tag }).toEqual({ url: `oci://${repository}/charts/store`, tag: chart.targetRevision });
  });

  it.each([
    ['Argo CD', chart.helm.valuesObject],
    ['Flux', example('HelmRelease').values],
  ])('have what production needs: %s', async (_, values) => {
    expect(await renderChart(['charts/store/presets/prod.yaml'], values)).toContain('https://shop.example.com');
  });
});
