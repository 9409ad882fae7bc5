import { objectsIn, renderChart } from '../../tools/chart/render.ts';

// Additions of an installation to all pods at once, or to those of a component.

// biome-ignore lint/suspicious/noExplicitAny: Kubernetes' own objects
type Resource = any;

/** Everything that has a pod. */
const everything = {
  postgres: { backup: { enabled: true } },
  global: { shop: { enabled: true } },
  toolbox: { enabled: true },
};

async function rendered(global: object, values: object = {}): Promise<Resource[]> {
  const { global: own, ...others } = everything;
  const text = await renderChart([], { ...others, ...values, global: { ...own, ...global } });
  return objectsIn(text);
}

/** The pods, by the name of what they are of. */
function podsIn(all: Resource[]): Map<string, Resource> {
  const pods = all.flatMap((one) => {
    const { kind, metadata, spec } = one;
    const pod = kind === 'Pod' ? one : (spec?.jobTemplate?.spec.template ?? spec?.template);
    return pod?.spec?.containers ? [[`${kind}/${metadata.name.replace(/-[0-9a-f]{8}$/, '')}`, pod] as const] : [];
  });
  return new Map(pods);
}

const ofKind = (all: Resource[], wanted: string) => all.filter(({ kind }) => kind === wanted);

it('labels and annotations of all pods are beside those of a component, and replace none of the chart', async () => {
  const global = { podLabels: { team: 'shop', 'calls/kafka': 'no' }, podAnnotations: { 'example.com/mesh': 'on' } };
  const own = { podLabels: { team: 'orders' }, podAnnotations: { a: 'b' } };
  const pods = podsIn(await rendered(global, { order: own, gateway: own, kafka: own, jobs: own }));
  expect(pods.size).toBe(23);
  for (const { metadata } of pods.values()) {
    expect(metadata.labels).toMatchObject({ team: expect.stringMatching(/shop|orders/) });
    expect(metadata.annotations).toMatchObject({ 'example.com/mesh': 'on' });
  }
  for (const name of [
    'Deployment/order',
    'Deployment/gateway',
    'StatefulSet/kafka',
    'Job/store-topics',
    'Pod/store-test',
  ])
    expect(pods.get(name).metadata).toMatchObject({ labels: { team: 'orders' }, annotations: { a: 'b' } });
  expect(pods.get('Deployment/orderworker').metadata.labels).toMatchObject({ team: 'shop', 'calls/kafka': 'true' });
  expect(pods.get('Pod/store-test').metadata.annotations).toMatchObject({ 'helm.sh/hook': 'test' });
});

it('annotations of all ServiceAccounts are beside those of a component', async () => {
  const serviceAccount = { annotations: { 'example.com/role': 'store' } };
  const order = { serviceAccount: { annotations: { 'example.com/role': 'order' } } };
  const accounts = ofKind(await rendered({ serviceAccount }, { order }), 'ServiceAccount');
  expect(accounts.length).toBeGreaterThan(14);
  for (const { metadata } of accounts)
    expect(metadata.annotations['example.com/role']).toBe(metadata.name === 'order' ? 'order' : 'store');
  const secrets = accounts.find(({ metadata }) => metadata.name === 'store-secrets');
  expect(secrets.metadata.annotations).toHaveProperty(['helm.sh/hook']);
});

it.each([
  ['auto', false],
  ['force', true],
  ['disabled', false],
])('no pod names a user where the cluster chooses it: %s', async (adaptSecurityContext, isLeft) => {
  const pods = podsIn(await rendered({ compatibility: { openshift: { adaptSecurityContext } } }));
  expect(pods.size).toBe(23);
  for (const { spec } of pods.values()) {
    expect(spec.securityContext).toMatchObject({ runAsNonRoot: true, seccompProfile: { type: 'RuntimeDefault' } });
    const users = ['runAsUser', 'runAsGroup', 'fsGroup'].filter((name) => name in spec.securityContext);
    expect(users.length > 0).toBe(!isLeft);
  }
});

it('Jobs and the test have resources and nodes of their own', async () => {
  const jobs = { resources: { limits: { memory: '1Gi' } }, nodeSelector: { pool: 'jobs' } };
  const pods = podsIn(await rendered({}, { jobs }));
  for (const name of ['Job/store-secrets', 'Job/store-topics', 'Pod/store-test']) {
    const { spec } = pods.get(name);
    expect(spec.containers[0].resources.limits).toEqual({ memory: '1Gi' });
    expect(spec.nodeSelector).toEqual({ pool: 'jobs' });
  }
});

it('the shop is placed as other pods are', async () => {
  const shop = { enabled: true, nodeSelector: { pool: 'shop' }, resources: { limits: { memory: '1Gi' } } };
  const { spec } = podsIn(await rendered({ shop })).get('Deployment/shop');
  expect(spec).toMatchObject({ nodeSelector: { pool: 'shop' }, containers: [{ resources: shop.resources }] });
});

it('further rules of NetworkPolicies are those of all pods, and of the Job that runs before there are others', async () => {
  const networkPolicy = { extraIngress: [{ ports: [{ port: 15008 }] }], extraEgress: [{ ports: [{ port: 15012 }] }] };
  const policies = ofKind(await rendered({ networkPolicy }), 'NetworkPolicy');
  const specOf = (name: string) => policies.find(({ metadata }) => metadata.name === name).spec;
  expect(specOf('store').ingress).toEqual(networkPolicy.extraIngress);
  for (const name of ['store', 'store-secrets'])
    expect(specOf(name).egress).toEqual(expect.arrayContaining(networkPolicy.extraEgress));
});

it('further objects are part of the release', async () => {
  const object = {
    apiVersion: 'v1',
    kind: 'ConfigMap',
    metadata: { name: '{{ .Release.Name }}-more' },
    data: { a: '1' },
  };
  const all = await rendered({}, { extraObjects: [object, { ...object, metadata: { name: 'other' } }] });
  const names = ofKind(all, 'ConfigMap').map(({ metadata }) => metadata.name);
  expect(names).toEqual(expect.arrayContaining(['store-more', 'other']));
});

it('pods have the priority class of all, or that of their component', async () => {
  const own = { priorityClassName: 'order-first' };
  const pods = podsIn(await rendered({ priorityClassName: 'store' }, { order: own }));
  expect(pods.size).toBe(23);
  for (const [name, { spec }] of pods)
    expect(spec.priorityClassName).toBe(name === 'Deployment/order' ? 'order-first' : 'store');
});

it('replicas are spread as the constraints of their component say, over pods of its own', async () => {
  const topologySpreadConstraints = [
    { topologyKey: 'topology.kubernetes.io/zone' },
    { topologyKey: 'rack', maxSkew: 2, whenUnsatisfiable: 'DoNotSchedule', labelSelector: { matchLabels: { a: 'b' } } },
  ];
  const pods = podsIn(await rendered({}, { order: { topologySpreadConstraints } }));
  const { metadata, spec } = pods.get('Deployment/order');
  const [zone, rack] = spec.topologySpreadConstraints;
  expect(zone).toMatchObject({
    maxSkew: 1,
    whenUnsatisfiable: 'ScheduleAnyway',
    matchLabelKeys: ['pod-template-hash'],
  });
  expect(metadata.labels).toMatchObject(zone.labelSelector.matchLabels);
  expect(rack).toEqual(topologySpreadConstraints[1]);
});
