import { renderChart, renderObjects } from '../../tools/chart/render.ts';

// Overrides by which an installation adds to the pods, or takes away from them.

// biome-ignore lint/suspicious/noExplicitAny: as above
const podOf = (all: any[], name: string) =>
  all.find(({ kind, metadata }) => ['Deployment', 'StatefulSet'].includes(kind) && metadata.name === name).spec.template
    .spec;

const extras = {
  extraEnv: [
    { name: 'NODE_OPTIONS', value: '--use-openssl-ca' },
    { name: 'NODE_NAME', valueFrom: { fieldRef: { fieldPath: 'spec.nodeName' } } },
  ],
  extraVolumes: [{ name: 'authorities', configMap: { name: 'authorities' } }],
  extraVolumeMounts: [{ name: 'authorities', mountPath: '/authorities', readOnly: true }],
};

describe.each(['order', 'gateway', 'postgres'])('%s', (name) => {
  it('has further variables, volumes and mounts', async () => {
    const [before, after] = [await renderObjects({}), await renderObjects({ [name]: extras })].map((all) =>
      podOf(all, name),
    );
    const [container, ...others] = before.containers;
    expect(after).toEqual({
      ...before,
      containers: [
        {
          ...container,
          env: [...(container.env ?? []), ...extras.extraEnv],
          volumeMounts: [...(container.volumeMounts ?? []), ...extras.extraVolumeMounts],
        },
        ...others,
      ],
      volumes: [...(before.volumes ?? []), ...extras.extraVolumes],
    });
  });

  it.each([
    ['podSecurityContext', 'runAsuser'],
    ['securityContext', 'readonlyRootFilesystem'],
    ['extraEnv', 'vale'],
  ])('refuses a typo in %s', async (value, typo) => {
    const values = { [name]: { [value]: value === 'extraEnv' ? [{ name: 'A', [typo]: 'x' }] : { [typo]: true } } };
    await expect(renderObjects(values)).rejects.toThrow(typo);
  });
});

it.each(['order', 'gateway', 'postgres', 'kafka'])(
  'the security contexts of %s are merged with what is set',
  async (name) => {
    const values = {
      [name]: {
        podSecurityContext: { runAsUser: null, fsGroup: 1234 },
        securityContext: { readOnlyRootFilesystem: false },
      },
    };
    const pod = podOf(await renderObjects(values), name);
    expect(pod.securityContext).toMatchObject({ runAsNonRoot: true, fsGroup: 1234 });
    expect(pod.securityContext).not.toHaveProperty('runAsUser');
    for (const { securityContext } of pod.containers)
      expect(securityContext).toEqual({
        allowPrivilegeEscalation: false,
        readOnlyRootFilesystem: false,
        capabilities: { drop: ['ALL'] },
      });
  },
);

it('Jobs and the test have the security context of the service whose image they run', async () => {
  const runAsUser = 4321;
  const all = await renderObjects({
    order: { podSecurityContext: { runAsUser } },
    auth: { podSecurityContext: { runAsUser } },
  });
  const jobs = all.filter(({ kind }) => kind === 'Job' || kind === 'Pod');
  expect(jobs).toHaveLength(3);
  for (const { spec } of jobs) expect((spec.template?.spec ?? spec).securityContext.runAsUser).toBe(runAsUser);
});

describe('variables of OpenTelemetry', () => {
  const envOf = async (values: object) => podOf(await renderObjects(values), 'order').containers[0].env;

  it('are taken by every service', async () => {
    const env = { OTEL_TRACES_SAMPLER: 'parentbased_always_off', OTEL_RESOURCE_ATTRIBUTES: 'team=shop' };
    for (const name of [
      'auth',
      'account',
      'product',
      'order',
      'orderworker',
      'inventory',
      'payment',
      'invoice',
      'status',
    ])
      expect(await renderChart([], { [name]: { env } })).toContain('parentbased_always_off');
  });

  it('replace those that follow from global.tracing', async () => {
    const global = { tracing: { endpoint: 'http://collector.test:4318' } };
    const env = { OTEL_SERVICE_NAME: 'shop-orders' };
    expect(
      (await envOf({ global, order: { env } })).filter(({ name }: { name: string }) => name.startsWith('OTEL')),
    ).toEqual([
      { name: 'OTEL_EXPORTER_OTLP_ENDPOINT', value: 'http://collector.test:4318' },
      { name: 'OTEL_SERVICE_NAME', value: 'shop-orders' },
    ]);
  });
});

it.each(['DATABASE_URL', 'LOG_LEVEL', 'JWT_SECRET_KEY'])(
  'refuses %s in extraEnv, because the chart sets it',
  async (name) => {
    const values = { auth: { extraEnv: [{ name, value: 'x' }] } };
    await expect(renderObjects(values)).rejects.toThrow(`auth.extraEnv: ${name} is set by the chart already`);
  },
);
