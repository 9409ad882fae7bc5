import { parseAllDocuments } from 'yaml';
import { alertsOf, type RuleGroup } from '../../tools/chart/alerts.ts';
import { renderChart } from '../../tools/chart/render.ts';

// biome-ignore lint/suspicious/noExplicitAny: Kubernetes' own objects
const manifests = async (values: object): Promise<any[]> =>
  parseAllDocuments(await renderChart([], values)).map((document) => document.toJS());

// biome-ignore lint/suspicious/noExplicitAny: as above
const named = (all: any[], wanted: string, name = 'store') =>
  all.find(({ kind, metadata }) => kind === wanted && metadata.name === name);

const tracing = { endpoint: 'http://collector.monitoring:4318', samplingPercent: 25 };

it('renders nothing by default, because the definitions of the Prometheus operator may be missing', async () => {
  const all = await manifests({});
  expect(all.filter(({ apiVersion }) => apiVersion.startsWith('monitoring.coreos.com'))).toEqual([]);
  expect(named(all, 'ConfigMap', 'store-dashboard')).toBeUndefined();
  expect(JSON.stringify(all)).not.toMatch(/OTEL_|opentelemetry/);
});

it('lets Prometheus scrape every component, with the labels that alerts and dashboard use', async () => {
  const monitoring = { enabled: true, labels: { release: 'prometheus' } };
  const all = await manifests({ monitoring, postgres: { metrics: { enabled: true } } });
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

it('has alerts that describe the problem and what to do, and link to a runbook', async () => {
  const all = await manifests({ monitoring: { alerts: { enabled: true, runbooks: 'https://docs.test/runbooks/' } } });
  const groups: RuleGroup[] = named(all, 'PrometheusRule').spec.groups;
  const rules = groups.flatMap((group) => group.rules);
  const recorded = rules.flatMap((rule) => ('record' in rule ? [rule.record] : []));
  const alerts = alertsOf(groups);
  expect(new Set(alerts.map(({ alert, labels }) => alert + labels.severity)).size).toBe(alerts.length);
  for (const rule of rules) {
    expect(rule.expr.includes('job="store"') || recorded.some((name) => rule.expr.includes(name))).toBe(true);
  }
  for (const rule of alerts) {
    expect(rule).toMatchObject({
      alert: expect.stringMatching(/^Store[A-Z]/),
      labels: { severity: expect.stringMatching(/^(critical|warning)$/) },
      annotations: {
        summary: expect.any(String),
        description: expect.stringMatching(/^[A-Z].+\.$/s),
        runbook_url: `https://docs.test/runbooks/${rule.alert}.md`,
      },
    });
  }
});

it('has a dashboard that Grafana loads, with panels that do not overlap', async () => {
  const all = await manifests({ monitoring: { dashboard: { enabled: true } } });
  const { metadata, data } = named(all, 'ConfigMap', 'store-dashboard');
  expect(metadata.labels.grafana_dashboard).toBe('1');
  const { panels } = JSON.parse(data['store.json']);
  const cells = panels.flatMap(({ gridPos: { x, y, w, h } }: { gridPos: Record<'x' | 'y' | 'w' | 'h', number> }) =>
    Array.from({ length: w * h }, (_, cell) => `${x + (cell % w)},${y + Math.floor(cell / w)}`),
  );
  expect(new Set(cells).size).toBe(cells.length);
});

it('sends the traces of gateway and services to the collector, and allows that by policy', async () => {
  const all = await manifests({ global: { tracing } });
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
