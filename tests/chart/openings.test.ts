import { type Manifest, manifests } from './_manifests.ts';

const components = ['order', 'gateway', 'postgres', 'kafka'];
const forEach = (names: string[], own: object) => Object.fromEntries(names.map((name) => [name, own]));
const resolver = { options: [{ name: 'ndots', value: '1' }] };

describe('pods may have', () => {
  it('a runtime class and a resolver, for all pods or for those of a component', async () => {
    const own = { runtimeClassName: 'kata', dnsConfig: { nameservers: ['10.0.0.10'] } };
    const global = { runtimeClassName: 'gvisor', dnsConfig: resolver, shop: { enabled: true } };
    const values = { global, order: own, jobs: own, toolbox: { enabled: true } };
    const pods = (await manifests({ ...values, postgres: { backup: { enabled: true } } })).pods();
    expect(pods.size).toBe(24);
    const hasOwn = (name: string) => name === 'Deployment/order' || /^Job\/store-|^Pod\//.test(name);
    for (const [name, { spec }] of pods)
      expect([name, spec]).toMatchObject([
        name,
        hasOwn(name) ? own : { runtimeClassName: 'gvisor', dnsConfig: resolver },
      ]);
  });

  it.each(components)('other timings of probes, whose checks stay the same: %s', async (name) => {
    const probes = {
      startup: { failureThreshold: 900 },
      readiness: { periodSeconds: 7 },
      liveness: { timeoutSeconds: 9 },
    };
    const [expected] = (await manifests()).podOf(name).containers;
    const [container] = (await manifests({ [name]: { probes } })).podOf(name).containers;
    Object.assign(expected.startupProbe, probes.startup);
    Object.assign(expected.readinessProbe, probes.readiness);
    Object.assign(expected.livenessProbe, probes.liveness);
    expect(container).toEqual(expected);
  });

  it('annotations on the objects that own pods, not on the pods', async () => {
    const { named, pods } = await manifests(
      forEach(components, { annotations: { 'reloader.example.com/auto': 'true' } }),
    );
    const kinds = { order: 'Deployment', gateway: 'Deployment', postgres: 'StatefulSet', kafka: 'StatefulSet' };
    for (const [name, kind] of Object.entries(kinds)) {
      expect(named(kind, name).metadata.annotations).toEqual({ 'reloader.example.com/auto': 'true' });
      expect(pods().get(`${kind}/${name}`).metadata.annotations ?? {}).not.toHaveProperty([
        'reloader.example.com/auto',
      ]);
    }
  });

  it('an existing ServiceAccount', async () => {
    const { named, podOf } = await manifests(forEach(components, { serviceAccount: { name: 'shared' } }));
    for (const name of components) {
      expect(podOf(name).serviceAccountName).toBe('shared');
      expect(named('ServiceAccount', name)).toBeUndefined();
    }
  });

  it.each(['order', 'console', 'gateway', 'postgres'])(
    'additional containers and sources of variables: %s',
    async (name) => {
      const [proxy, wait] = [{ name: 'proxy' }, { name: 'wait', restartPolicy: 'Always' }].map((one) => ({
        ...one,
        image: 'registry.example.com/proxy:1',
      }));
      const extraEnvFrom = [{ secretRef: { name: 'proxy-settings', optional: true } }];
      const expected = (await manifests()).podOf(name);
      const values = { extraContainers: [proxy], extraInitContainers: [wait], extraEnvFrom };
      const { podOf } = await manifests({ [name]: values });
      expected.containers[0].envFrom = [...(expected.containers[0].envFrom ?? []), ...extraEnvFrom];
      expected.containers.push(proxy);
      expected.initContainers = [wait];
      expect(podOf(name)).toEqual(expected);
    },
  );

  it("no changes of a probe's check, and no misspelt fields", async () => {
    const probes = { readiness: { httpGet: { path: '/' } } };
    await expect(manifests({ order: { probes } })).rejects.toThrow(/probes|httpGet/);
    await expect(manifests({ gateway: { probes: { ready: {} } } })).rejects.toThrow(/probes|ready/);
    await expect(manifests({ order: { extraContainers: [{ image: 'a' }] } })).rejects.toThrow(/name/);
  });
});

it("a load balancer's address comes from a value", async () => {
  const service = { type: 'LoadBalancer', loadBalancerIP: '203.0.113.7' };
  const of = async (values: object) => (await manifests({ gateway: { service: values } })).named('Service', 'gateway');
  expect((await of(service)).spec.loadBalancerIP).toBe('203.0.113.7');
  expect((await of({ ...service, type: 'NodePort' })).spec).not.toHaveProperty('loadBalancerIP');
});

describe('authorities of your own', () => {
  const path = '/var/run/authorities/ca.crt';

  it.each([
    [{ secret: 'private-ca' }, { secret: { secretName: 'private-ca', items: [{ key: 'ca.crt', path: 'ca.crt' }] } }],
    [
      { configMap: 'bundle', key: 'trust.pem' },
      { configMap: { name: 'bundle', items: [{ key: 'trust.pem', path: 'ca.crt' }] } },
    ],
  ])('are trusted by every service, and by the gateway in addition to public ones: %j', async (authorities, source) => {
    const { podOf, ofKind } = await manifests({ global: { authorities } });
    const services = ofKind('Deployment').filter(({ metadata }: Manifest) => metadata.name !== 'gateway');
    expect(services.length).toBeGreaterThan(11);
    for (const { spec } of services) {
      const [container] = spec.template.spec.containers;
      expect(container.env).toContainEqual({ name: 'NODE_EXTRA_CA_CERTS', value: path });
      expect(container.volumeMounts).toContainEqual(expect.objectContaining({ name: 'authorities' }));
      expect(spec.template.spec.volumes).toContainEqual({ name: 'authorities', ...source });
    }
    const [envoy] = podOf('gateway').containers;
    expect(envoy.env).toContainEqual({ name: 'EXTRA_CA_CERTS', value: path });
    expect(podOf('gateway').volumes).toContainEqual({ name: 'authorities', ...source });
  });

  it('come from one place only', async () => {
    const authorities = { secret: 'a', configMap: 'b' };
    await expect(manifests({ global: { authorities } })).rejects.toThrow(/global.authorities names both/);
  });
});
