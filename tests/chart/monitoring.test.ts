import { type Alert, alertsOf, type RuleGroup } from '../../tools/chart/alerts.ts';
import { renderObjects } from '../../tools/chart/render.ts';

// biome-ignore lint/suspicious/noExplicitAny: as above
const named = (all: any[], wanted: string, name = 'store') =>
  all.find(({ kind, metadata }) => kind === wanted && metadata.name === name);

const tracing = { endpoint: 'http://collector.monitoring:4318', samplingPercent: 25 };

it('renders nothing by default, because the definitions of the Prometheus operator may be missing', async () => {
  const all = await renderObjects({});
  expect(all.filter(({ apiVersion }) => apiVersion.startsWith('monitoring.coreos.com'))).toEqual([]);
  expect(named(all, 'ConfigMap', 'store-dashboard')).toBeUndefined();
  expect(JSON.stringify(all)).not.toMatch(/OTEL_|opentelemetry/);
});

it('lets Prometheus scrape every component, with the labels that alerts and dashboard use', async () => {
  const monitoring = { enabled: true, labels: { release: 'prometheus' } };
  const all = await renderObjects({ monitoring, postgres: { metrics: { enabled: true } } });
  const { metadata, spec } = named(all, 'PodMonitor');
  expect(metadata.labels.release).toBe('prometheus');
  const [endpoint] = spec.podMetricsEndpoints;
  expect(endpoint.relabelings).toEqual([
    { targetLabel: 'job', replacement: 'store' },
    { sourceLabels: ['__meta_kubernetes_pod_label_app_kubernetes_io_name'], targetLabel: 'service' },
  ]);
  for (const { kind, metadata, spec } of all) {
    if (kind !== 'Deployment' && kind !== 'StatefulSet') continue;
    const { template } = spec;
    expect(template.metadata.labels).toMatchObject(named(all, 'PodMonitor').spec.selector.matchLabels);
    expect(template.metadata.labels['app.kubernetes.io/name']).toBe(metadata.name);
    if (metadata.name === 'kafka') continue; // for development, without metrics
    const ports = template.spec.containers.flatMap(({ ports = [] }: { ports?: { name: string }[] }) => ports);
    expect(ports).toContainEqual(expect.objectContaining({ name: endpoint.port }));
  }
});

it('has alerts on its own namespace that describe the problem and what to do, and link to a runbook', async () => {
  const all = await renderObjects({
    monitoring: { alerts: { enabled: true, runbooks: 'https://docs.test/runbooks/' } },
  });
  const groups: RuleGroup[] = named(all, 'PrometheusRule').spec.groups;
  const rules = groups.flatMap((group) => group.rules);
  const alerts = alertsOf(groups);
  expect(new Set(alerts.map(({ alert, labels }) => alert + labels.severity)).size).toBe(alerts.length);
  for (const { expr } of rules) {
    // Another release in the cluster has its own rules.
    const selectors = expr.match(/[{][^}]*[}]/g) ?? [];
    expect(selectors.filter((selector) => !selector.includes('namespace="store"'))).toEqual([]);
    expect(selectors).not.toEqual([]);
    expect(expr).not.toContain('$');
  }
  for (const rule of alerts) {
    expect(rule).toMatchObject({
      alert: expect.stringMatching(/^Store[A-Z]/),
      labels: { severity: expect.stringMatching(/^(critical|warning)$/) },
      annotations: {
        summary: expect.any(String),
        description: expect.stringMatching(/^[A-Z].+\.$/s),
        runbook_url: expect.stringMatching(/^https:\/\/docs\.test\/runbooks\/[a-z]+\.md#store[a-z]+$/),
      },
    });
  }
});

describe('an alert', () => {
  const alertsWith = async (rules: object) => {
    const all = await renderObjects({ monitoring: { alerts: { enabled: true, rules } } });
    return alertsOf(named(all, 'PrometheusRule').spec.groups);
  };
  const find = (alerts: Alert[], name: string) => alerts.find(({ alert }) => alert === name);

  it('has the threshold, the delay and the severity that values give it', async () => {
    const change = { threshold: 0, for: '1h', severity: 'info' };
    const changed = find(await alertsWith({ StoreConsumerLag: change }), 'StoreConsumerLag');
    expect(changed).toMatchObject({ expr: expect.stringMatching(/ > 0$/m), for: '1h', labels: { severity: 'info' } });
    const unchanged = find(await alertsWith({}), 'StoreConsumerLag');
    expect(unchanged).toMatchObject({ expr: expect.stringMatching(/ > 1000$/m), labels: { severity: 'warning' } });
  });

  it('is left out where values say so, and its group with the last one', async () => {
    const without = await alertsWith({ StoreBackupMissing: { enabled: false }, StoreSlow: { enabled: true } });
    expect(find(without, 'StoreBackupMissing')).toBeUndefined();
    expect(find(without, 'StoreSlow')).toBeDefined();
  });

  it.each([
    ['StoreSlo', { enabled: false }, /StoreSlo: there is no such alert/],
    ['StoreLagUnknown', { threshold: 1 }, /StoreLagUnknown.threshold: this alert has none/],
    ['StoreSlow', { treshold: 1 }, /treshold/],
  ])('%s is not changed by %j', async (name, change, message) => {
    await expect(alertsWith({ [name]: change })).rejects.toThrow(message);
  });
});

const cloudnativePg = {
  postgres: { enabled: false },
  database: { cloudnativePg: { enabled: true } },
  global: { externalDatabase: { existingSecret: 'store-databases', caSecret: 'store-database-ca' } },
};

it.each([
  ['of the store', {}, ['store.json']],
  ['of the store and one of CloudNativePG', cloudnativePg, ['store.json', 'database.json']],
])('has a dashboard %s that Grafana loads, with panels that do not overlap', async (_, values, expected) => {
  const all = await renderObjects({ ...values, monitoring: { dashboard: { enabled: true } } });
  const { metadata, data } = named(all, 'ConfigMap', 'store-dashboard');
  expect(metadata.labels.grafana_dashboard).toBe('1');
  expect(Object.keys(data).sort()).toEqual(expected.toSorted());
  const dashboards = Object.values<string>(data).map((text) => JSON.parse(text));
  expect(new Set(dashboards.map(({ uid }) => uid)).size).toBe(dashboards.length);
  for (const { panels } of dashboards) expectNoOverlap(panels);
});

interface Panel {
  gridPos: Record<'x' | 'y' | 'w' | 'h', number>;
}

function expectNoOverlap(panels: Panel[]): void {
  const cells = panels.flatMap(({ gridPos: { x, y, w, h } }) =>
    Array.from({ length: w * h }, (_, cell) => `${x + (cell % w)},${y + Math.floor(cell / w)}`),
  );
  expect(new Set(cells).size).toBe(cells.length);
}

it('sends the traces of gateway and services to the collector, and allows that by policy', async () => {
  const all = await renderObjects({ global: { tracing } });
  for (const { kind, metadata, spec } of all) {
    if (kind !== 'Deployment' || metadata.name === 'gateway') continue;
    expect(spec.template.spec.containers[0].env).toEqual(
      expect.arrayContaining([
        { name: 'OTEL_EXPORTER_OTLP_ENDPOINT', value: tracing.endpoint },
        { name: 'OTEL_SERVICE_NAME', value: metadata.name },
      ]),
    );
  }
  const envoy = named(all, 'ConfigMap', 'gateway').data['envoy.yaml'];
  expect(envoy).toContain('http://collector.monitoring:4318/v1/traces');
  expect(envoy).toContain('{numerator: 250000, denominator: MILLION}');
  expect(named(all, 'NetworkPolicy', 'store-traces').spec.egress[0].ports).toEqual([{ port: 4318 }]);
});
