import { valuesFiles } from '../../tools/chart/render.ts';
import { type Manifest, manifests } from './_manifests.ts';

const everything = { postgres: { backup: { enabled: true } }, toolbox: { enabled: true } };
const withAll = (global: object, values: object = {}) =>
  manifests({ ...everything, ...values, global: { shop: { enabled: true }, ...global } });

describe('all pods at once, or those of a component', () => {
  it('have further labels and annotations, which replace none of the chart', async () => {
    const global = { podLabels: { team: 'shop', 'calls/kafka': 'no' }, podAnnotations: { 'example.com/mesh': 'on' } };
    const own = { podLabels: { team: 'orders' }, podAnnotations: { a: 'b' } };
    const pods = (await withAll(global, { order: own, gateway: own, kafka: own, jobs: own })).pods();
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

  it('have accounts with further annotations', async () => {
    const annotated = (name: string) => ({ serviceAccount: { annotations: { 'example.com/role': name } } });
    const accounts = (await withAll(annotated('store'), { order: annotated('order') })).ofKind('ServiceAccount');
    expect(accounts.length).toBeGreaterThan(14);
    for (const { metadata } of accounts)
      expect(metadata.annotations['example.com/role']).toBe(metadata.name === 'order' ? 'order' : 'store');
    const secrets = accounts.find(({ metadata }) => metadata.name === 'store-secrets');
    expect(secrets.metadata.annotations).toHaveProperty(['helm.sh/hook']);
  });

  it('have a priority class', async () => {
    const own = { priorityClassName: 'order-first' };
    const pods = (await withAll({ priorityClassName: 'store' }, { order: own })).pods();
    expect(pods.size).toBe(23);
    for (const [name, { spec }] of pods)
      expect(spec.priorityClassName).toBe(name === 'Deployment/order' ? 'order-first' : 'store');
  });

  it.each([
    ['auto', false],
    ['force', true],
    ['disabled', false],
  ])('name no user where the cluster chooses it: %s', async (adaptSecurityContext, isLeft) => {
    const pods = (await withAll({ compatibility: { openshift: { adaptSecurityContext } } })).pods();
    expect(pods.size).toBe(23);
    for (const { spec } of pods.values()) {
      expect(spec.securityContext).toMatchObject({ runAsNonRoot: true, seccompProfile: { type: 'RuntimeDefault' } });
      const users = ['runAsUser', 'runAsGroup', 'fsGroup'].filter((name) => name in spec.securityContext);
      expect(users.length > 0).toBe(!isLeft);
    }
  });

  it('have further rules of NetworkPolicies, also the Job that runs before there are others', async () => {
    const networkPolicy = { extraIngress: [{ ports: [{ port: 15008 }] }], extraEgress: [{ ports: [{ port: 15012 }] }] };
    const { named } = await withAll({ networkPolicy });
    expect(named('NetworkPolicy', 'store').spec.ingress).toEqual(networkPolicy.extraIngress);
    for (const name of ['store', 'store-secrets'])
      expect(named('NetworkPolicy', name).spec.egress).toEqual(expect.arrayContaining(networkPolicy.extraEgress));
  });
});

describe('the pods of a component', () => {
  const extras = {
    extraEnv: [
      { name: 'NODE_OPTIONS', value: '--use-openssl-ca' },
      { name: 'NODE_NAME', valueFrom: { fieldRef: { fieldPath: 'spec.nodeName' } } },
    ],
    extraVolumes: [{ name: 'authorities', configMap: { name: 'authorities' } }],
    extraVolumeMounts: [{ name: 'authorities', mountPath: '/authorities', readOnly: true }],
  };

  it.each(['order', 'gateway', 'postgres'])('have further variables, volumes and mounts: %s', async (name) => {
    const before = (await manifests()).podOf(name);
    const [container, ...others] = before.containers;
    const { extraEnv, extraVolumes, extraVolumeMounts } = extras;
    expect((await manifests({ [name]: extras })).podOf(name)).toEqual({
      ...before,
      containers: [
        {
          ...container,
          env: [...(container.env ?? []), ...extraEnv],
          volumeMounts: [...(container.volumeMounts ?? []), ...extraVolumeMounts],
        },
        ...others,
      ],
      volumes: [...(before.volumes ?? []), ...extraVolumes],
    });
  });

  it('have security contexts merged with what is set', async () => {
    const names = ['order', 'gateway', 'postgres', 'kafka'];
    const contexts = {
      podSecurityContext: { runAsUser: null, fsGroup: 1234 },
      securityContext: { readOnlyRootFilesystem: false },
    };
    const { podOf } = await manifests(Object.fromEntries(names.map((name) => [name, contexts])));
    for (const { securityContext, containers } of names.map(podOf)) {
      expect(securityContext).toMatchObject({ runAsNonRoot: true, fsGroup: 1234 });
      expect(securityContext).not.toHaveProperty('runAsUser');
      for (const { securityContext } of containers)
        expect(securityContext).toEqual({
          allowPrivilegeEscalation: false,
          readOnlyRootFilesystem: false,
          capabilities: { drop: ['ALL'] },
        });
    }
  });

  it('have resources and nodes of their own where they are Jobs, the test or the shop, and the user of their image', async () => {
    const resources = { limits: { memory: '1Gi' } };
    const [jobs, own] = [{ resources, nodeSelector: { pool: 'jobs' } }, { podSecurityContext: { runAsUser: 4321 } }];
    const shop = { enabled: true, nodeSelector: { pool: 'shop' }, resources };
    const pods = (await withAll({ shop }, { jobs, order: own, auth: own })).pods();
    for (const name of ['Job/store-secrets', 'Job/store-topics', 'Pod/store-test'])
      expect(pods.get(name).spec).toMatchObject({
        nodeSelector: { pool: 'jobs' },
        securityContext: { runAsUser: 4321 },
        containers: [{ resources }],
      });
    expect(pods.get('Deployment/shop').spec).toMatchObject({
      nodeSelector: { pool: 'shop' },
      containers: [{ resources }],
    });
  });

  it('are spread as their constraints say, over pods of their own', async () => {
    const topologySpreadConstraints = [
      { topologyKey: 'topology.kubernetes.io/zone' },
      {
        topologyKey: 'rack',
        maxSkew: 2,
        whenUnsatisfiable: 'DoNotSchedule',
        labelSelector: { matchLabels: { a: 'b' } },
      },
    ];
    const { metadata, spec } = (await manifests({ order: { topologySpreadConstraints } }))
      .pods()
      .get('Deployment/order');
    const [zone, rack] = spec.topologySpreadConstraints;
    expect(zone).toMatchObject({
      maxSkew: 1,
      whenUnsatisfiable: 'ScheduleAnyway',
      matchLabelKeys: ['pod-template-hash'],
    });
    expect(metadata.labels).toMatchObject(zone.labelSelector.matchLabels);
    expect(rack).toEqual(topologySpreadConstraints[1]);
  });

  it('have variables of OpenTelemetry, which replace those of global.tracing', async () => {
    const names = ['auth', 'account', 'product', 'order', 'orderworker', 'inventory', 'payment', 'invoice', 'status'];
    const env = { OTEL_TRACES_SAMPLER: 'parentbased_always_off', OTEL_SERVICE_NAME: 'shop' };
    const tracing = { endpoint: 'http://collector.test:4318' };
    const { envOf } = await manifests({
      global: { tracing },
      ...Object.fromEntries(names.map((name) => [name, { env }])),
    });
    for (const name of names)
      expect(envOf(name).filter((one) => one.name.startsWith('OTEL'))).toEqual([
        { name: 'OTEL_EXPORTER_OTLP_ENDPOINT', value: 'http://collector.test:4318' },
        { name: 'OTEL_SERVICE_NAME', value: 'shop' },
        { name: 'OTEL_TRACES_SAMPLER', value: 'parentbased_always_off' },
      ]);
  });
});

describe.each(Object.entries(valuesFiles))('with the %s values', (values, files) => {
  it('every pod meets the restricted Pod Security level', async () => {
    const pods = (await manifests({}, files)).pods();
    expect(pods.size).toBeGreaterThan(13);
    for (const { metadata, spec } of pods.values()) {
      expect(spec).toMatchObject({
        // The only one that calls the API server
        automountServiceAccountToken: metadata.labels['app.kubernetes.io/name'] === 'store-secrets',
        enableServiceLinks: false,
        securityContext: { runAsNonRoot: true, seccompProfile: { type: 'RuntimeDefault' } },
      });
      for (const { securityContext, image, resources } of spec.containers as Manifest[]) {
        expect(securityContext).toEqual({
          allowPrivilegeEscalation: false,
          // skaffold copies sources into the containers.
          readOnlyRootFilesystem: values !== 'skaffold' || !image.includes('/dev:'),
          capabilities: { drop: ['ALL'] },
        });
        const [requests, limits] = [{ cpu: expect.any(String) }, { memory: expect.any(String) }];
        expect(resources).toMatchObject({ requests, limits });
      }
    }
  });
});
