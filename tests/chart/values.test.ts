import { parseAllDocuments } from 'yaml';
import { renderChart, valuesFiles } from '../../tools/chart/render.ts';

const external = { postgres: { enabled: false }, global: { externalDatabase: { existingSecret: 'urls' } } };

describe('values that the chart refuses, with a sentence', () => {
  it.each([
    ['an unknown part', { oder: {} }, /oder/],
    [
      'an unknown part that looks like one',
      { oder: { image: 'order' } },
      /oder is no part of the store: .* alias: oder/,
    ],
    ['a typo in resources', { gateway: { resources: { request: {} } } }, /request/],
    ['a typo in a request', { order: { resources: { requests: { cpi: 1 } } } }, /cpi/],
    ['no quantity', { kafka: { strimzi: { resources: { limits: { memory: '12XB' } } } } }, /limits\/memory/],
    ['an annotation that is no text', { order: { podAnnotations: { a: 1 } } }, /podAnnotations\/a/],
    ['a typo in a toleration', { status: { tolerations: [{ efect: 'NoSchedule' }] } }, /efect/],
    ['a typo in a peer', { global: { networkPolicy: { kafkaAt: [{ ipblock: {} }] } } }, /ipblock/],
    ['no name of a Secret', { global: { jwt: { existingSecret: 'My_Secret' } } }, /existingSecret/],
    [
      'more copies at least than at most',
      { order: { autoscaling: { enabled: true, minReplicas: 9 } } },
      /order.autoscaling.minReplicas is above maxReplicas/,
    ],
    ['a typo in a service', { order: { replcas: 2 } }, /replcas/],
    ['a typo in global', { global: { jwt: { existingSecrt: 'x' } } }, /existingSecrt/],
    ['a typo in a variable', { auth: { env: { JWT_HTTP_OLNY: true } } }, /JWT_HTTP_OLNY|propertyNames|auth\/env/],
    ["another service's variable", { account: { env: { JWT_HTTP_ONLY: true } } }, /account\/env|JWT_HTTP_ONLY/],
    ['a flag as text', { auth: { env: { JWT_HTTP_ONLY: 'yes' } } }, /JWT_HTTP_ONLY/],
    ['an image without a name', { order: { image: '' } }, /image/],
    ['a secret without a name', { auth: { secrets: { JWT_SECRET_KEY: { secret: '', key: 'x' } } } }, /secret/],
    ['brokers without a port', { global: { kafka: { bootstrapServers: 'kafka' } } }, /bootstrapServers/],
    ['a collector without http', { global: { tracing: { endpoint: 'collector:4318' } } }, /tracing\/endpoint/],
    [
      'a collector with the path',
      { global: { tracing: { endpoint: 'http://c:4318/v1/traces' } } },
      /tracing\/endpoint/,
    ],
    ['more than all requests', { global: { tracing: { samplingPercent: 101 } } }, /samplingPercent/],
    ['a typo in monitoring', { monitoring: { enable: true } }, /enable/],
    ['no database at all', { postgres: { enabled: false } }, /externalDatabase.existingSecret names no Secret/],
    ['two databases', { global: external.global }, /set postgres.enabled=false/],
    [
      '* with credentials',
      { gateway: { cors: { allowedOrigins: ['*'] } } },
      /Name the origins, or set cors.allowedCredentials to false/,
    ],
    [
      'more replicas than brokers',
      { kafka: { strimzi: { enabled: true }, topics: { replicas: 3 } } },
      /only 1 brokers/,
    ],
    ['topics nobody can write', { kafka: { topics: { minInsyncReplicas: 2 } } }, /nothing could be written/],
    [
      'a login at the port without',
      { global: { kafka: { login: true } }, kafka: { strimzi: { enabled: true } } },
      /store-kafka-bootstrap:9093/,
    ],
  ])('%s', async (_, values, message) => {
    await expect(renderChart([], values)).rejects.toThrow(message);
  });
});

describe('what the chart renders', () => {
  // biome-ignore lint/suspicious/noExplicitAny: Kubernetes' own objects
  const manifests = async (values: object, files: string[] = []): Promise<any[]> =>
    parseAllDocuments(await renderChart(files, values)).map((document) => document.toJS());

  it('an external database: no PostgreSQL, and the URLs from the Secret', async () => {
    const all = await manifests(external);
    expect(all.filter(({ kind }) => kind === 'StatefulSet')).toEqual([]);
    const order = all.find(({ kind, metadata }) => kind === 'Deployment' && metadata.name === 'order');
    const [container] = order.spec.template.spec.containers;
    expect(container.env).toContainEqual({
      name: 'DATABASE_URL',
      valueFrom: { secretKeyRef: { name: 'urls', key: 'order' } },
    });
  });

  it('large numbers stay whole', async () => {
    const all = await manifests({ auth: { env: { JWT_TTL_SECONDS: 31536000 } } });
    const auth = all.find(({ kind, metadata }) => kind === 'Deployment' && metadata.name === 'auth');
    expect(auth.spec.template.spec.containers[0].env).toContainEqual({ name: 'JWT_TTL_SECONDS', value: '31536000' });
  });

  it('only the gateway can be published', async () => {
    const all = await manifests({}, valuesFiles.prod);
    const published = all.filter(({ kind, spec }) => kind === 'Service' && (spec.type ?? 'ClusterIP') !== 'ClusterIP');
    expect(published.map(({ metadata }) => metadata.name)).toEqual(['gateway']);
  });

  it.each(Object.entries(valuesFiles))('%s: no pod can do more than restricted', async (name, files) => {
    for (const { kind, spec } of await manifests({}, files)) {
      if (!['Deployment', 'StatefulSet', 'Job', 'Pod'].includes(kind)) continue;
      const pod = kind === 'Pod' ? spec : spec.template.spec;
      expect(pod).toMatchObject({
        automountServiceAccountToken: false,
        enableServiceLinks: false,
        securityContext: { runAsNonRoot: true, seccompProfile: { type: 'RuntimeDefault' } },
      });
      for (const container of pod.containers) {
        expect(container.securityContext).toEqual({
          allowPrivilegeEscalation: false,
          // skaffold copies sources into the services.
          readOnlyRootFilesystem: name !== 'skaffold' || kind !== 'Deployment' || !container.image.includes('/dev:'),
          capabilities: { drop: ['ALL'] },
        });
        expect(container.resources).toMatchObject({
          requests: { cpu: expect.any(String) },
          limits: { memory: expect.any(String) },
        });
      }
    }
  });

  it('who calls a part is who may call it', async () => {
    const all = await manifests({});
    const labelsOf = (name: string) =>
      all.find(({ kind, metadata }) => kind === 'Deployment' && metadata.name === name).spec.template.metadata.labels;
    const callersOf = (name: string) =>
      [
        'gateway',
        'auth',
        'account',
        'product',
        'order',
        'orderworker',
        'inventory',
        'payment',
        'invoice',
        'status',
      ].filter((caller) => labelsOf(caller)[`calls/${name}`] === 'true');
    expect(callersOf('account')).toEqual(['gateway', 'auth']);
    expect(callersOf('product')).toEqual(['gateway', 'order', 'inventory']);
    expect(callersOf('payment')).toEqual([]);
    const policy = all.find(({ kind, metadata }) => kind === 'NetworkPolicy' && metadata.name === 'product');
    expect(policy.spec.ingress[0].from).toEqual([{ podSelector: { matchLabels: { 'calls/product': 'true' } } }]);
  });
});
