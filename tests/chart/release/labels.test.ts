import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { parse } from 'yaml';
import { renderObjects, valuesFiles } from '../../../tools/chart/render.ts';
import { root } from '../../../tools/paths.ts';

const everything = { monitoring: { enabled: true, alerts: { enabled: true }, dashboard: { enabled: true } } };

/** Strimzi copies their labels to its pods, which it would replace for another one (tests/chart/kafka). */
const isCopied = ({ kind }: { kind: string }) => kind === 'Kafka' || kind === 'KafkaNodePool';

// biome-ignore lint/suspicious/noExplicitAny: as above
const templatesOf = (all: any[]) => all.flatMap(({ spec }) => (spec?.template?.spec ? [spec.template] : []));

describe.each(Object.entries(valuesFiles))('with %s values', (_, files) => {
  it('every object has the recommended labels', async () => {
    const recommended = ['name', 'instance', 'version', 'component', 'part-of', 'managed-by'];
    for (const { kind, metadata } of await renderObjects(everything, files)) {
      if (isCopied({ kind })) continue;
      const labels = Object.keys(metadata.labels);
      const missing = recommended.filter((name) => !labels.includes(`app.kubernetes.io/${name}`));
      expect({ kind, name: metadata.name, missing }).toEqual({ kind, name: metadata.name, missing: [] });
      expect(metadata.labels['helm.sh/chart']).toMatch(/^[a-z]+-\d+\.\d+\.\d+$/);
    }
  });

  it('common labels are on every object and every pod, and in no selector', async () => {
    const common = { team: 'shop', 'example.com/cost-centre': '42' };
    const all = await renderObjects({ ...everything, global: { commonLabels: common } }, files);
    const unlabelled = await renderObjects(everything, files);
    const labelled = all.filter((one) => !isCopied(one));
    for (const { metadata } of [...labelled, ...templatesOf(all)]) expect(metadata.labels).toMatchObject(common);
    const selectors = (of: typeof all) => JSON.stringify(of).match(/"(matchLabels|selector)":\{[^}]*\}/g);
    expect(selectors(all)).toEqual(selectors(unlabelled));
  });

  it('nothing changes that an upgrade from version 0.1.0 cannot change', async () => {
    const released = parse(readFileSync(join(root, 'tests/chart/release/immutable.yaml'), 'utf8'));
    const workloads = (await renderObjects({}, files)).filter(({ kind }) =>
      ['Deployment', 'StatefulSet'].includes(kind),
    );
    const found = workloads.flatMap(({ kind, metadata, spec }) => {
      const name = `${kind}/${metadata.name}`;
      return name in released
        ? [[name, { ...spec.selector, ...(spec.serviceName && { serviceName: spec.serviceName }) }]]
        : [];
    });
    expect(found.length).toBeGreaterThan(11);
    for (const [name, { ...actual }] of found) expect({ name, ...actual }).toEqual({ name, ...released[name] });
  });
});

it('a label of the operator of Prometheus may be a common one too', async () => {
  const labels = { release: 'prometheus' };
  const all = await renderObjects({
    monitoring: { enabled: true, labels },
    global: { commonLabels: { release: 'other' } },
  });
  expect(all.find(({ kind }) => kind === 'PodMonitor').metadata.labels.release).toBe('prometheus');
});

it.each(['app.kubernetes.io/name', 'helm.sh/chart', 'calls/postgres', 'strimzi.io/cluster', 'grafana_dashboard'])(
  'refuses %s as a common label',
  async (name) => {
    const refused = renderObjects({ global: { commonLabels: { [name]: 'x' } } });
    await expect(refused).rejects.toThrow(`global.commonLabels: ${name} says something else already`);
  },
);
