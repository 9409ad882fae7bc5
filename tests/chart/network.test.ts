import { parse } from 'yaml';
import { valuesFiles } from '../../tools/chart/render.ts';
import { topology } from '../../tools/topology/topology.ts';
import { read } from '../kit/read.ts';
import { type Manifest, manifests } from './_manifests.ts';

type Labels = Record<string, string>;
interface Rule {
  from?: Peer[];
  to?: Peer[];
  ports?: { port: string | number }[];
}
type Peer = { podSelector?: { matchLabels: Labels } };

/** Container ports by name. */
const ports: Record<string, number> = { http: 8080, metrics: 9090 };
const has = (labels: Labels, wanted: Labels = {}) =>
  Object.entries(wanted).every(([name, value]) => labels[name] === value);
const withShop = { global: { shop: { enabled: true } } };
const aliases = topology.services.map(({ alias }) => alias);

/** Reads the connections that the policies of both sides allow. */
async function readPolicies(values: object = {}, files: string[] = []) {
  const { ofKind } = await manifests(values, files);
  const policies: Manifest[] = ofKind('NetworkPolicy').map(({ spec }) => spec);
  const pods = new Map<string, Labels>(
    ofKind('Deployment').map(({ metadata, spec }) => [metadata.name, spec.template.metadata.labels]),
  );
  const labelsOf = (name: string) => pods.get(name) ?? {};

  /** Only considers rules for pods of this namespace; those for other namespaces concern Prometheus. */
  function lets(name: string, side: 'ingress' | 'egress', peer: Labels, port: number): boolean {
    const rules: Rule[] = policies
      .filter(({ podSelector }) => podSelector.matchLabels && has(labelsOf(name), podSelector.matchLabels))
      .flatMap((policy) => policy[side] ?? []);
    return rules.some(
      ({ from, to, ports: at = [] }) =>
        at.some((one) => (ports[one.port] ?? one.port) === port) &&
        (from ?? to)?.some(({ podSelector }) => podSelector && has(peer, podSelector.matchLabels)),
    );
  }
  const reaches = (from: string, to: string, port: number) =>
    lets(from, 'egress', labelsOf(to), port) && lets(to, 'ingress', labelsOf(from), port);
  const names = [...pods.keys()];
  return { names, reachedBy: (from: string, port = 8080) => names.filter((to) => reaches(from, to, port)).sort() };
}

describe('network policies', () => {
  it('each service reaches exactly the services it calls, for example auth from order', async () => {
    const { reachedBy } = await readPolicies();
    for (const { alias, calls } of topology.services)
      expect([alias, reachedBy(alias)]).toEqual([alias, [...calls].sort()]);
    expect(topology.services.find(({ alias }) => alias === 'order')?.calls).toContain('auth');
  });

  it('the console reads the metrics of every service, and no pod reaches the console', async () => {
    const { names, reachedBy } = await readPolicies(withShop);
    expect(reachedBy('console', 9090)).toEqual(aliases.filter((alias) => alias !== 'console').sort());
    expect(names.filter((name) => reachedBy(name).includes('console'))).toEqual([]);
  });

  it('the gateway reaches the shop if it is enabled, and the shop reaches no pod', async () => {
    const { reachedBy } = await readPolicies(withShop);
    const behind = [...new Set([...Object.values(topology.routes).map(({ alias }) => alias), 'auth'])].sort();
    expect(reachedBy('gateway')).toEqual([...behind, 'shop'].sort());
    expect(reachedBy('shop')).toEqual([]);
    expect((await readPolicies()).reachedBy('gateway')).toEqual(behind);
  });

  it('only services, the pooler, the operator and other instances reach the instances of CloudNativePG', async () => {
    const files = [...(valuesFiles.prod ?? []), 'charts/store/presets/cloudnative-pg.yaml'];
    const endpoint = 'https://s3.example.com:9000';
    const values = {
      global: { externalDatabase: { pooler: 'store-database-pooler:5432' }, prometheus: '' },
      database: { cloudnativePg: { pooler: { enabled: true, poolSize: 5 }, backup: { enabled: true, endpoint } } },
    };
    const { named } = await manifests(values, files);
    const reachedFrom = (name: string, port: number) =>
      named('NetworkPolicy', name).spec.ingress.filter((rule: Rule) => rule.ports?.some((one) => one.port === port));
    const portsTo = (name: string) =>
      named('NetworkPolicy', name).spec.egress.flatMap((rule: Rule) => rule.ports?.map(({ port }) => port));
    const databases = topology.services.filter(({ database }) => database).map(({ alias }) => alias);
    const others = topology.services.filter(({ database }) => !database).map(({ alias }) => alias);

    const [sql, ...more] = reachedFrom('store-database', 5432);
    expect(more).toEqual([]);
    const [services, pooler, instances] = sql.from.map(({ podSelector }: Manifest) => podSelector);
    expect(services.matchExpressions[0].values).toEqual(databases.toSorted());
    expect(others.length).toBeGreaterThan(0);
    expect(pooler.matchLabels).toEqual({ 'cnpg.io/poolerName': 'store-database-pooler' });
    expect(instances).toEqual(named('NetworkPolicy', 'store-database').spec.podSelector);
    const [state] = reachedFrom('store-database', 8000);
    expect(state.from[0].podSelector.matchLabels).toEqual({ 'app.kubernetes.io/name': 'cloudnative-pg' });
    expect(portsTo('store-database')).toEqual([5432, 8000, 443, 6443, 53, 53, 9000]);
    expect(reachedFrom('store-database-pooler', 5432)[0].from).toHaveLength(1);
    expect(portsTo('store-database-pooler')).toEqual([5432, 443, 6443, 53, 53]);
  });

  const url = 'http://prometheus-operated.monitoring:9090';
  const own = 'https://prometheus.example.com/prometheus';
  const login = { modes: 'bearer', ref: { name: 'prometheus' } };
  it.each<[string, global: object, env: object, expected: string | undefined, ports: number[]]>([
    ['none by default', {}, {}, undefined, []],
    ['the one for autoscalers', { prometheus: url }, {}, url, [9090]],
    ['none if that needs a login', { prometheus: url, prometheusAuthentication: login }, {}, undefined, []],
    ['its own', { prometheus: url }, { PROMETHEUS_URL: own }, own, [443]],
    ['none if its own is empty', { prometheus: url }, { PROMETHEUS_URL: '' }, undefined, []],
  ])('the console knows and reaches a Prometheus: %s', async (_, global, env, expected, ports) => {
    const prometheusAt = [{ ipBlock: { cidr: '10.9.8.7/32' } }];
    const { named } = await manifests({ global: { ...global, networkPolicy: { prometheusAt } }, console: { env } });
    const { PROMETHEUS_URL, PROMETHEUS_NAMESPACE } = named('ConfigMap', 'store-services').data;
    expect([PROMETHEUS_URL, PROMETHEUS_NAMESPACE]).toEqual([expected, expected && 'store']);
    const rules: Rule[] = named('NetworkPolicy', 'console').spec.egress;
    const toPrometheus = rules.filter(({ to }) => JSON.stringify(to) === JSON.stringify(prometheusAt));
    expect(toPrometheus.flatMap((one) => one.ports?.map(({ port }) => port))).toEqual(ports);
  });

  it("pods reach the cluster's DNS on its ports", async () => {
    const { named } = await manifests({ global: { networkPolicy: { dnsPorts: [5353] } } });
    expect(named('NetworkPolicy', 'store').spec.egress[0].ports).toEqual([
      { port: 5353, protocol: 'UDP' },
      { port: 5353, protocol: 'TCP' },
    ]);
  });
});

describe('IP families', () => {
  it.each([
    ['IPv6 only', { ipFamilies: ['IPv6'] }],
    ['both', { ipFamilyPolicy: 'PreferDualStack' }],
    ['both, by name', { ipFamilyPolicy: 'RequireDualStack', ipFamilies: ['IPv4', 'IPv6'] }],
    ['no family, so that the cluster decides,', {}],
  ])('with %s every Service says so, and everything listens on :: if IPv6 is configured', async (_, dualStack) => {
    const { ofKind, named } = await manifests({
      global: { dualStack, ...withShop.global },
      gateway: { tls: { existingSecret: 'store-tls' } },
    });
    const isDual = Object.keys(dualStack).length > 0;
    const services = ofKind('Service');
    expect(services.length).toBeGreaterThan(20);
    for (const { spec } of services) {
      const { ipFamilies, ipFamilyPolicy } = spec;
      expect({ ipFamilies, ipFamilyPolicy }).toEqual({ ...dualStack });
    }
    const { listeners } = parse(named('ConfigMap', 'gateway').data['envoy.yaml']).static_resources;
    const addresses = listeners.flatMap(({ address }: Manifest) => address?.socket_address ?? []);
    const listening = addresses.map(({ address, ipv4_compat }: Manifest) => [address, ipv4_compat]);
    expect(listening).toEqual(Array(3).fill(isDual ? ['::', true] : ['0.0.0.0', undefined]));
    const variables: Manifest[] = ofKind('Deployment').flatMap(
      ({ spec }) => spec.template.spec.containers[0].env ?? [],
    );
    const hosts = variables.filter(({ name }) => name === 'HOST').map(({ value }) => value);
    expect(hosts).toEqual(Array(isDual ? 13 : 0).fill('::'));
  });
});

describe('the calls of a service', () => {
  it('are declared: no variable in the values has the address of a service', async () => {
    const written = Object.values(valuesFiles)
      .flat()
      .concat('charts/store/values.yaml', 'charts/store/presets/prod.yaml');
    for (const file of new Set(written))
      expect([file, /http:\/\/(?!localhost)[a-z]+:8080/.exec(read(file))?.[0]]).toEqual([file, undefined]);
  });

  it('remain if other values add to them, as the production values do', async () => {
    const before = (await readPolicies()).reachedBy('account');
    const { reachedBy } = await readPolicies({ account: { calls: { BEARER_JWKS_URL: 'status/keys' } } });
    expect(reachedBy('account')).toEqual([...before, 'status'].sort());
    const production = await readPolicies({}, valuesFiles.prod);
    expect(production.reachedBy('account')).toEqual(before);
    expect(production.reachedBy('notification')).toEqual(['account', 'auth', 'order']);
  });

  it('become addresses with their paths, and "" means no call', async () => {
    const calls = { PRODUCT_URL: '', BEARER_JWKS_URL: 'auth/.well-known/jwks.json' };
    const { envOf } = await manifests({ inventory: { calls } });
    const urls = envOf('inventory').filter(({ name }) => /_URL$/.test(name) && name !== 'DATABASE_URL');
    expect(urls).toEqual([
      { name: 'BEARER_JWKS_URL', value: 'http://auth:8080/.well-known/jwks.json' },
      { name: 'ORDER_URL', value: 'http://order:8080' },
    ]);
  });
});

describe('a service may call exactly the services whose addresses it has', () => {
  const extraEnv = [{ name: 'PEERS', value: 'http://status:8080/a,http://invoice:8080,http://account:9090' }];
  const own = { payment: { extraEnv }, order: { env: { AUTH_URL: 'http://auth.example.com:8080' } } };
  it.each<[string, string[], object]>([
    ...Object.entries(valuesFiles).map(([name, files]): [string, string[], object] => [name, files, {}]),
    ['in extraEnv and env', [], own],
  ])('with the values %s', async (_, files, values) => {
    const { reachedBy } = await readPolicies(values, files);
    const { envOf } = await manifests(values, files);
    for (const alias of aliases.filter((alias) => alias !== 'console')) {
      const addressed = aliases.filter((to) => JSON.stringify(envOf(alias)).includes(`//${to}:8080`));
      expect([alias, reachedBy(alias)]).toEqual([alias, addressed.sort()]);
    }
  });
});
