import { valuesFiles } from '../../tools/chart/render.ts';
import { type Manifest, type Manifests, manifests } from './_manifests.ts';

const everything = { postgres: { backup: { enabled: true } }, toolbox: { enabled: true } };
const withAll = (global: object, values: object = {}) =>
  manifests({ ...everything, ...values, global: { shop: { enabled: true }, ...global } });

describe('all pods at once, or those of a component', () => {
  const annotated = (name: string) => ({ annotations: { 'example.com/role': name } });
  const networkPolicy = { extraIngress: [{ ports: [{ port: 15008 }] }], extraEgress: [{ ports: [{ port: 15012 }] }] };
  let rendered: Manifests;
  beforeAll(async () => {
    const own = { podLabels: { team: 'orders' }, podAnnotations: { a: 'b' } };
    const order = { ...own, serviceAccount: annotated('order'), priorityClassName: 'order-first' };
    const global = {
      podLabels: { team: 'shop', 'calls/kafka': 'no' },
      podAnnotations: { 'example.com/mesh': 'on' },
      serviceAccount: annotated('store'),
      priorityClassName: 'store',
      networkPolicy,
    };
    rendered = await withAll(global, { order, gateway: own, kafka: own, jobs: own });
  });

  it('have additional labels, annotations and a priority class, which replace nothing in the chart', () => {
    const pods = rendered.pods();
    expect(pods.size).toBe(24);
    for (const [name, { metadata, spec }] of pods) {
      expect(metadata.labels).toMatchObject({ team: expect.stringMatching(/shop|orders/) });
      expect(metadata.annotations).toMatchObject({ 'example.com/mesh': 'on' });
      expect(spec.priorityClassName).toBe(name === 'Deployment/order' ? 'order-first' : 'store');
    }
    const own = { labels: { team: 'orders' }, annotations: { a: 'b' } };
    for (const name of ['Deployment/order', 'Deployment/gateway', 'StatefulSet/kafka', 'Job/store-topics'])
      expect(pods.get(name).metadata).toMatchObject(own);
    expect(pods.get('Deployment/orderworker').metadata.labels).toMatchObject({ team: 'shop', 'calls/kafka': 'true' });
    const annotations = { ...own.annotations, 'helm.sh/hook': 'test' };
    expect(pods.get('Pod/store-test').metadata).toMatchObject({ ...own, annotations });
  });

  it('have accounts with additional annotations', () => {
    const accounts = rendered.ofKind('ServiceAccount');
    expect(accounts.length).toBeGreaterThan(14);
    for (const { metadata } of accounts)
      expect(metadata.annotations['example.com/role']).toBe(metadata.name === 'order' ? 'order' : 'store');
    expect(rendered.named('ServiceAccount', 'store-secrets').metadata.annotations).toHaveProperty(['helm.sh/hook']);
  });

  it('have additional NetworkPolicy rules, including the Job that runs before other policies exist', () => {
    expect(rendered.named('NetworkPolicy', 'store').spec.ingress).toEqual(networkPolicy.extraIngress);
    for (const name of ['store', 'store-secrets'])
      expect(rendered.named('NetworkPolicy', name).spec.egress).toContainEqual(networkPolicy.extraEgress[0]);
  });

  it.each([
    ['auto', false],
    ['force', true],
    ['disabled', false],
  ])('set no user if the cluster chooses it: %s', async (adaptSecurityContext, isLeft) => {
    const pods = (await withAll({ compatibility: { openshift: { adaptSecurityContext } } })).pods();
    expect(pods.size).toBe(24);
    for (const { spec } of pods.values()) {
      expect(spec.securityContext).toMatchObject({ runAsNonRoot: true, seccompProfile: { type: 'RuntimeDefault' } });
      const users = ['runAsUser', 'runAsGroup', 'fsGroup'].filter((name) => name in spec.securityContext);
      expect(users.length > 0).toBe(!isLeft);
    }
  });
});

describe('the pods of a component', () => {
  it.each(['order', 'gateway', 'postgres'])('have additional variables, volumes and mounts: %s', async (name) => {
    const extraEnv = [{ name: 'NODE_NAME', valueFrom: { fieldRef: { fieldPath: 'spec.nodeName' } } }];
    const extraVolumes = [{ name: 'authorities', configMap: { name: 'authorities' } }];
    const extraVolumeMounts = [{ name: 'authorities', mountPath: '/authorities', readOnly: true }];
    const expected = (await manifests()).podOf(name);
    const [container] = expected.containers;
    container.env = [...(container.env ?? []), ...extraEnv];
    container.volumeMounts = [...(container.volumeMounts ?? []), ...extraVolumeMounts];
    expected.volumes = [...(expected.volumes ?? []), ...extraVolumes];
    const { podOf } = await manifests({ [name]: { extraEnv, extraVolumes, extraVolumeMounts } });
    expect(podOf(name)).toEqual(expected);
  });

  it('have security contexts merged with the given ones', async () => {
    const names = ['order', 'gateway', 'postgres', 'kafka'];
    const podSecurityContext = { runAsUser: null, fsGroup: 1234 };
    const own = { podSecurityContext, securityContext: { readOnlyRootFilesystem: false } };
    const { podOf } = await manifests(Object.fromEntries(names.map((name) => [name, own])));
    for (const { securityContext, containers } of names.map(podOf)) {
      expect(securityContext).toMatchObject({ runAsNonRoot: true, fsGroup: 1234 });
      expect(securityContext).not.toHaveProperty('runAsUser');
      for (const container of containers) expect(container.securityContext).toEqual(contextWith(false));
    }
  });

  it('have their own resources and nodes if they are Jobs, the test or the shop, and the user of their image', async () => {
    const resources = { limits: { memory: '1Gi' } };
    const [nodeSelector, securityContext] = [{ pool: 'jobs' }, { runAsUser: 4321 }];
    const own = { podSecurityContext: securityContext };
    const shop = { enabled: true, nodeSelector: { pool: 'shop' }, resources };
    const pods = (await withAll({ shop }, { jobs: { resources, nodeSelector }, order: own, auth: own })).pods();
    const containers = [{ resources }];
    for (const name of ['Job/store-secrets', 'Job/store-topics', 'Pod/store-test'])
      expect(pods.get(name).spec).toMatchObject({ nodeSelector, securityContext, containers });
    expect(pods.get('Deployment/shop').spec).toMatchObject({ nodeSelector: shop.nodeSelector, containers });
  });

  it('are spread by the given constraints, relative to pods of the same component', async () => {
    const labelSelector = { matchLabels: { a: 'b' } };
    const own = { topologyKey: 'rack', maxSkew: 2, whenUnsatisfiable: 'DoNotSchedule', labelSelector };
    const topologySpreadConstraints = [{ topologyKey: 'topology.kubernetes.io/zone' }, own];
    const rendered = await manifests({ order: { topologySpreadConstraints } });
    const { metadata, spec } = rendered.pods().get('Deployment/order');
    const [zone, rack] = spec.topologySpreadConstraints;
    expect(zone).toMatchObject({
      maxSkew: 1,
      whenUnsatisfiable: 'ScheduleAnyway',
      matchLabelKeys: ['pod-template-hash'],
    });
    expect(metadata.labels).toMatchObject(zone.labelSelector.matchLabels);
    expect(rack).toEqual(own);
  });

  it('have OpenTelemetry variables that override global.tracing', async () => {
    const names = ['auth', 'account', 'product', 'order', 'orderworker', 'inventory', 'payment', 'invoice', 'status'];
    const env = { OTEL_TRACES_SAMPLER: 'parentbased_always_off', OTEL_SERVICE_NAME: 'shop' };
    const endpoint = 'http://collector.test:4318';
    const ofServices = Object.fromEntries(names.map((name) => [name, { env }]));
    const { envOf } = await manifests({ global: { tracing: { endpoint } }, ...ofServices });
    const given = { OTEL_EXPORTER_OTLP_ENDPOINT: endpoint, ...env };
    for (const name of names) {
      const found = envOf(name).filter((one) => one.name.startsWith('OTEL'));
      expect(Object.fromEntries(found.map(({ name, value }) => [name, value]))).toEqual(given);
      expect(found).toHaveLength(3);
    }
  });
});

function contextWith(readOnlyRootFilesystem: boolean) {
  return { allowPrivilegeEscalation: false, readOnlyRootFilesystem, capabilities: { drop: ['ALL'] } };
}

it.each(Object.entries(valuesFiles))(
  'with the %s values every pod meets the restricted Pod Security level',
  async (values, files) => {
    const pods = (await manifests({}, files)).pods();
    expect(pods.size).toBeGreaterThan(13);
    for (const { metadata, spec } of pods.values()) {
      expect(spec).toMatchObject({
        // The only pod that calls the API server
        automountServiceAccountToken: metadata.labels['app.kubernetes.io/name'] === 'store-secrets',
        enableServiceLinks: false,
        securityContext: { runAsNonRoot: true, seccompProfile: { type: 'RuntimeDefault' } },
      });
      for (const { securityContext, image, resources } of spec.containers as Manifest[]) {
        // skaffold copies sources into the containers.
        expect(securityContext).toEqual(contextWith(values !== 'skaffold' || !image.includes('/dev:')));
        const [requests, limits] = [{ cpu: expect.any(String) }, { memory: expect.any(String) }];
        expect(resources).toMatchObject({ requests, limits });
      }
    }
  },
);
