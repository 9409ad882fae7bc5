import { parse } from 'yaml';
import { valuesFiles } from '../../tools/chart/render.ts';
import { documentAt } from '../docs/_documents.ts';
import { itWithCrds, problemsOf } from '../kit/kubernetes/crds.ts';
import { read } from '../kit/read.ts';
import { type Manifest, type Manifests, manifests } from './_manifests.ts';

describe('an external database', () => {
  const external = (values: object) => ({
    postgres: { enabled: false },
    global: { externalDatabase: { existingSecret: 'urls', ...values } },
  });

  it('replaces PostgreSQL, with the URLs from the Secret', async () => {
    const { all, podOf, envOf } = await manifests(external({}));
    expect(all.filter(({ metadata }) => metadata.name === 'postgres')).toEqual([]);
    const url = { name: 'DATABASE_URL', value: 'file:///var/run/database/url' };
    expect(envOf('order').filter(({ name }) => name.startsWith('DATABASE_'))).toEqual([url]);
    const [volume] = podOf('order').volumes;
    expect(volume.projected.sources).toEqual([{ secret: { name: 'urls', items: [{ key: 'order', path: 'url' }] } }]);
  });

  it('with a CA has it mounted at the path in every URL, and its ports are reachable', async () => {
    const { pods, named } = await manifests(external({ caSecret: 'database-ca', ports: [6432, 25061] }));
    const databases = [...pods()].filter(([name]) => /^Deployment\/(?!gateway|console)/.test(name));
    expect(databases.length).toBeGreaterThan(8);
    for (const [, { spec }] of databases) {
      const [{ env, volumeMounts }] = spec.containers;
      const url = new URL(env.find(({ name }: Manifest) => name === 'DATABASE_URL').value);
      const volume = spec.volumes.find(({ name }: Manifest) => name === volumeMounts[0].name);
      const items: { path: string }[] = volume.projected.sources.flatMap(({ secret }: Manifest) => secret.items);
      const paths = items.map(({ path }) => `${volumeMounts[0].mountPath}/${path}`);
      expect(paths).toEqual([url.pathname, url.searchParams.get('sslrootcert')]);
      expect(url.searchParams.get('sslmode')).toBe('verify-full');
    }
    const { egress } = named('NetworkPolicy', 'order').spec;
    expect(egress).toContainEqual(expect.objectContaining({ ports: [{ port: 6432 }, { port: 25061 }] }));
  });
});

describe('derived from values', () => {
  it('PRODUCT_WRITERS reaches product and auth, which grants scopes by it', async () => {
    const writers = { env: { PRODUCT_WRITERS: 'role:catalogue' } };
    const { envOf } = await manifests({ product: writers, auth: writers });
    for (const name of ['product', 'auth'])
      expect(envOf(name)).toContainEqual({ name: 'PRODUCT_WRITERS', value: 'role:catalogue' });
  });

  it('large numbers have no exponent, and extra objects are part of the release', async () => {
    const object = (name: string) => ({ apiVersion: 'v1', kind: 'ConfigMap', metadata: { name }, data: { a: '1' } });
    const extraObjects = [object('{{ .Release.Name }}-more'), object('other')];
    const { named, envOf } = await manifests({ auth: { env: { JWT_TTL_SECONDS: 31536000 } }, extraObjects });
    expect(envOf('auth')).toContainEqual({ name: 'JWT_TTL_SECONDS', value: '31536000' });
    for (const name of ['store-more', 'other']) expect(named('ConfigMap', name).data).toEqual({ a: '1' });
  });

  it('the values for mail in docs/kubernetes.md give each service what it needs', async () => {
    const values = parse(/\n## Mail\n.*?```yaml\n(.*?)```/s.exec(documentAt('docs/kubernetes.md').text)?.[1] ?? '');
    const { envOf, named } = await manifests(values);
    expect(envOf('notification')).toEqual(
      expect.arrayContaining([
        { name: 'SMTP_URL_FILE', value: '/var/run/secrets/store/SMTP_URL' },
        { name: 'SHOP_URL', value: 'https://store.example.com/shop' },
        { name: 'ACCOUNT_URL', value: 'http://account:8080' },
      ]),
    );
    expect(envOf('order')).toContainEqual({ name: 'EMAIL_CONFIRMATION', value: 'required' });
    expect(named('NetworkPolicy', 'notification').spec.egress).toContainEqual({ ports: [{ port: 465 }] });
  });
});

describe('presets/stripe.yaml', () => {
  it('has payment charge by Stripe, with keys of a Secret, and opens callbacks and nothing else', async () => {
    const stripe = [...(valuesFiles.prod ?? []), 'charts/store/presets/stripe.yaml'];
    const [before, after] = [await manifests({}, valuesFiles.prod), await manifests({}, stripe)];
    expect(after.envOf('payment')).toEqual(
      expect.arrayContaining([
        { name: 'PAYMENT_PROVIDER', value: 'stripe' },
        { name: 'STRIPE_SECRET_KEY_FILE', value: '/var/run/secrets/store/STRIPE_SECRET_KEY' },
        { name: 'STRIPE_WEBHOOK_SECRET_FILE', value: '/var/run/secrets/store/STRIPE_WEBHOOK_SECRET' },
      ]),
    );
    expect(after.envOf('order')).toContainEqual({ name: 'PAYMENT_TOKEN_REQUIRED', value: 'true' });
    expect(after.named('NetworkPolicy', 'payment').spec.egress).toContainEqual({ ports: [{ port: 443 }] });
    const defaults = parse(read('charts/store/values.yaml')).gateway.open as string[];
    const preset = parse(read('charts/store/presets/stripe.yaml')).gateway.open as string[];
    expect(preset).toEqual([...defaults, 'POST /payments/events']);
    const routesOf = (rendered: Manifests) => JSON.stringify(rendered.ofKind('ConfigMap'));
    expect(routesOf(after)).toContain('/payments/events');
    expect(routesOf(before)).not.toContain('/payments/events');
  });
});

describe('in production', () => {
  it('only the gateway is reachable from outside the cluster', async () => {
    const services = (await manifests({}, valuesFiles.prod)).ofKind('Service');
    const published = services.filter(({ spec }) => (spec.type ?? 'ClusterIP') !== 'ClusterIP');
    expect(published.map(({ metadata }) => metadata.name)).toEqual(['gateway']);
  });

  itWithCrds('resources for operators fit their definitions, with all monitoring on', async () => {
    const monitoring = { enabled: true, alerts: { enabled: true } };
    const { all } = await manifests({ monitoring }, valuesFiles.prod);
    const ofOthers = all.filter(({ apiVersion }) => /^(kafka\.strimzi\.io|monitoring\.coreos\.com)\//.test(apiVersion));
    const kinds = ['Kafka', 'KafkaNodePool', 'KafkaTopic', 'KafkaUser', 'PodMonitor', 'PrometheusRule'];
    expect([...new Set(ofOthers.map(({ kind }) => kind))].sort()).toEqual(kinds);
    for (const one of ofOthers)
      expect([one.kind, one.metadata.name, problemsOf(one)]).toEqual([one.kind, one.metadata.name, []]);
  });
});

describe('an autoscaler', () => {
  const behavior = { scaleDown: { stabilizationWindowSeconds: 600 } };
  const prometheus = 'http://prometheus.monitoring:9090';

  it('by CPU has the given behavior', async () => {
    const { one } = await manifests({ gateway: { autoscaling: { enabled: true, behavior } } });
    expect(one('HorizontalPodAutoscaler')).toMatchObject({
      metadata: { name: 'gateway' },
      spec: { minReplicas: 2, maxReplicas: 6, behavior },
    });
  });

  it('by lag is an object of KEDA, for the group and namespace of the consumer', async () => {
    const autoscaling = { enabled: true, lag: 100, behavior };
    const { one, ofKind } = await manifests({ global: { prometheus }, invoice: { autoscaling } });
    expect(ofKind('HorizontalPodAutoscaler')).toEqual([]);
    const query = 'max(sum by (pod) (consumer_lag_messages{namespace="store", group="invoice-group"}))';
    // KEDA refuses a second autoscaler unless it may take over the previous one.
    const { name, annotations } = one('ScaledObject', 'invoice').metadata;
    expect([name, annotations]).toEqual(['invoice', { 'scaledobject.keda.sh/transfer-hpa-ownership': 'true' }]);
    expect(one('ScaledObject', 'invoice').spec).toEqual({
      scaleTargetRef: { apiVersion: 'apps/v1', kind: 'Deployment', name: 'invoice' },
      minReplicaCount: 2,
      maxReplicaCount: 6,
      advanced: { horizontalPodAutoscalerConfig: { name: 'invoice', behavior } },
      triggers: [
        { type: 'cpu', metricType: 'Utilization', metadata: { value: '70' } },
        { type: 'prometheus', metadata: { serverAddress: prometheus, query, threshold: '100' } },
      ],
    });
  });

  it('by lag logs in to a Prometheus that requires it', async () => {
    const ref = { name: 'prometheus', kind: 'ClusterTriggerAuthentication' };
    const global = { prometheus, prometheusAuthentication: { modes: 'bearer,tls', ref } };
    const { one } = await manifests({ global, invoice: { autoscaling: { enabled: true, lag: 100 } } });
    const [, trigger] = one('ScaledObject').spec.triggers;
    expect(trigger).toMatchObject({ metadata: { authModes: 'bearer,tls' }, authenticationRef: ref });
  });

  it.each([
    [{ lag: 100 }, ['prometheus']],
    [{ lag: 0 }, /invoice.autoscaling has neither cpuPercent nor lag/],
  ])('without a CPU target scales only by lag: %j', async (lag, expected) => {
    const rendered = manifests({
      global: { prometheus },
      invoice: { autoscaling: { enabled: true, cpuPercent: 0, ...lag } },
    });
    if (expected instanceof RegExp) return await expect(rendered).rejects.toThrow(expected);
    const { triggers } = (await rendered).one('ScaledObject').spec;
    expect(triggers.map(({ type }: { type: string }) => type)).toEqual(expected);
  });
});

it('the console can be left out without leaving anything behind', async () => {
  const { all } = await manifests({ console: { enabled: false } });
  expect(all.filter(({ metadata }) => metadata.name === 'console')).toEqual([]);
});

// Helm 4.3 passes null on where earlier versions remove the key.
it('a secret of a preset can be removed with null', async () => {
  const values = { order: { env: { EMAIL_CONFIRMATION: 'off' } }, notification: { secrets: { SMTP_URL: null } } };
  const hasServer = async (given: object) =>
    (await manifests(given, valuesFiles.prod)).envOf('notification').some(({ name }) => name === 'SMTP_URL_FILE');
  expect(await hasServer({})).toBe(true);
  expect(await hasServer(values)).toBe(false);
});
