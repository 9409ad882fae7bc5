import { type Alert, alertsOf, type RuleGroup } from '../kit/observability/alerts.ts';
import { manifests } from './_manifests.ts';

const groupsWith = async (alerts: object): Promise<RuleGroup[]> =>
  (await manifests({ monitoring: { alerts: { enabled: true, ...alerts } } })).one('PrometheusRule').spec.groups;

describe('monitoring', () => {
  it('lets Prometheus scrape every component, with the labels that alerts and dashboard use', async () => {
    const monitoring = { enabled: true, labels: { release: 'prometheus' } };
    const { named, ofKind } = await manifests({ monitoring, postgres: { metrics: { enabled: true } } });
    const monitor = named('PodMonitor', 'store');
    expect(monitor.metadata.labels.release).toBe('prometheus');
    const [endpoint] = monitor.spec.podMetricsEndpoints;
    expect(endpoint.relabelings).toEqual([
      { targetLabel: 'job', replacement: 'store' },
      { sourceLabels: ['__meta_kubernetes_pod_label_app_kubernetes_io_name'], targetLabel: 'service' },
    ]);
    for (const { metadata, spec } of [...ofKind('Deployment'), ...ofKind('StatefulSet')]) {
      const { labels } = spec.template.metadata;
      expect(labels).toMatchObject(monitor.spec.selector.matchLabels);
      expect(labels['app.kubernetes.io/name']).toBe(metadata.name);
      if (metadata.name === 'kafka') continue; // for development, without metrics
      const ports = spec.template.spec.containers.flatMap((one: { ports?: { name: string }[] }) => one.ports ?? []);
      expect(ports).toContainEqual(expect.objectContaining({ name: endpoint.port }));
    }
  });

  it('sets each label once, even if the chart also sets it', async () => {
    const labels = { 'app.kubernetes.io/part-of': 'prometheus' };
    const { all } = await manifests({
      monitoring: { enabled: true, labels, alerts: { enabled: true } },
      global: { kafka: { bootstrapServers: 'store-kafka-bootstrap:9092' } },
      kafka: { strimzi: { enabled: true, metrics: true } },
    });
    const own = all.filter(({ apiVersion }) => apiVersion === 'monitoring.coreos.com/v1');
    expect(own.map(({ metadata }) => metadata.name).sort()).toEqual(['store', 'store', 'store-kafka']);
    for (const { metadata } of own) expect(metadata.labels).toMatchObject(labels);
  });

  it('sends traces of gateway and services to the collector, which policies allow', async () => {
    const tracing = { endpoint: 'http://collector.monitoring:4318', samplingPercent: 25 };
    const { ofKind, envOf, named } = await manifests({ global: { tracing } });
    for (const { name } of ofKind('Deployment').map(({ metadata }) => metadata)) {
      if (name === 'gateway') continue;
      expect(envOf(name)).toContainEqual({ name: 'OTEL_EXPORTER_OTLP_ENDPOINT', value: tracing.endpoint });
      expect(envOf(name)).toContainEqual({ name: 'OTEL_SERVICE_NAME', value: name });
    }
    const envoy = named('ConfigMap', 'gateway').data['envoy.yaml'];
    expect(envoy).toContain('http://collector.monitoring:4318/v1/traces');
    expect(envoy).toContain('{numerator: 250000, denominator: MILLION}');
    expect(named('NetworkPolicy', 'store-traces').spec.egress[0].ports).toEqual([{ port: 4318 }]);
  });
});

describe('the alerts', () => {
  it('cover their own namespace, describe the problem and what to do, and link to a runbook', async () => {
    const groups = await groupsWith({ runbooks: 'https://docs.test/runbooks/' });
    const alerts = alertsOf(groups);
    expect(new Set(alerts.map(({ alert, labels }) => alert + labels.severity)).size).toBe(alerts.length);
    for (const { expr } of groups.flatMap(({ rules }) => rules)) {
      // Another release in the cluster has its own rules.
      const selectors = expr.match(/[{][^}]*[}]/g) ?? [];
      expect(selectors.filter((selector) => !selector.includes('namespace="store"'))).toEqual([]);
      expect(selectors).not.toEqual([]);
      expect(expr).not.toContain('$');
    }
    for (const rule of alerts)
      expect(rule).toMatchObject({
        alert: expect.stringMatching(/^Store[A-Z]/),
        labels: { severity: expect.stringMatching(/^(critical|warning)$/) },
        annotations: {
          summary: expect.any(String),
          description: expect.stringMatching(/^[A-Z].+\.$/s),
          runbook_url: expect.stringMatching(/^https:\/\/docs\.test\/runbooks\/[a-z]+\.md#store[a-z]+$/),
        },
      });
  });

  const alertsWith = async (rules: object) => alertsOf(await groupsWith({ rules }));
  const find = (alerts: Alert[], name: string) => alerts.find(({ alert }) => alert === name);

  it('have the threshold, delay and severity set in values, and are left out if values say so', async () => {
    const change = { threshold: 0, for: '1h', severity: 'info' };
    // The last alert of its group
    const changed = await alertsWith({ StoreConsumerLag: change, StoreBackupMissing: { enabled: false } });
    const lag = { expr: expect.stringMatching(/ > 0$/m), for: '1h', labels: { severity: 'info' } };
    expect(find(changed, 'StoreConsumerLag')).toMatchObject(lag);
    expect(find(changed, 'StoreBackupMissing')).toBeUndefined();
    const unchanged = find(await alertsWith({}), 'StoreConsumerLag');
    expect(unchanged).toMatchObject({ expr: expect.stringMatching(/ > 1000$/m), labels: { severity: 'warning' } });
  });
});

const cloudnativePg = {
  postgres: { enabled: false },
  database: { cloudnativePg: { enabled: true } },
  global: { externalDatabase: { existingSecret: 'store-databases', caSecret: 'store-database-ca' } },
};

describe('the dashboards', () => {
  it.each([
    ['of the store', {}, ['store.json']],
    ['of the store and of CloudNativePG', cloudnativePg, ['store.json', 'database.json']],
  ])('load in Grafana, and their panels do not overlap: %s', async (_, values, expected) => {
    const { named } = await manifests({ ...values, monitoring: { dashboard: { enabled: true } } });
    const { metadata, data } = named('ConfigMap', 'store-dashboard');
    expect(metadata.labels.grafana_dashboard).toBe('1');
    expect(Object.keys(data).sort()).toEqual(expected.toSorted());
    const dashboards = Object.values<string>(data).map((text) => JSON.parse(text));
    expect(new Set(dashboards.map(({ uid }) => uid)).size).toBe(dashboards.length);
    for (const { panels } of dashboards) expectNoOverlap(panels);
  });
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
