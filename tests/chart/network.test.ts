import { parse } from 'yaml';
import { topology } from '../../tools/topology/topology.ts';
import { type Manifest, manifests } from './_manifests.ts';

type Labels = Record<string, string>;
interface Rule {
  from?: Peer[];
  to?: Peer[];
  ports?: { port: string | number }[];
}
type Peer = { podSelector?: { matchLabels: Labels } };

/** As the containers name them. */
const ports: Record<string, number> = { http: 8080, metrics: 9090 };
const has = (labels: Labels, wanted: Labels = {}) =>
  Object.entries(wanted).every(([name, value]) => labels[name] === value);
const withShop = { global: { shop: { enabled: true } } };
const aliases = topology.services.map(({ alias }) => alias);

/** Connections that the policies of both sides allow. */
async function readPolicies(values: object = {}) {
  const { ofKind } = await manifests(values);
  const policies: Manifest[] = ofKind('NetworkPolicy').map(({ spec }) => spec);
  const pods = new Map<string, Labels>(
    ofKind('Deployment').map(({ metadata, spec }) => [metadata.name, spec.template.metadata.labels]),
  );
  const labelsOf = (name: string) => pods.get(name) ?? {};

  /** Rules name pods of this namespace here; those of other namespaces are for Prometheus. */
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
  it('each service reaches those that it calls, such as order auth, and no others', async () => {
    const { reachedBy } = await readPolicies();
    for (const { alias, calls } of topology.services)
      expect([alias, reachedBy(alias)]).toEqual([alias, [...calls].sort()]);
    expect(topology.services.find(({ alias }) => alias === 'order')?.calls).toContain('auth');
  });

  it('the console reads the metrics of every service, and nobody reaches the console', async () => {
    const { names, reachedBy } = await readPolicies(withShop);
    expect(reachedBy('console', 9090)).toEqual(aliases.filter((alias) => alias !== 'console').sort());
    expect(names.filter((name) => reachedBy(name).includes('console'))).toEqual([]);
  });

  it('the gateway reaches the shop where there is one, and the shop reaches nobody', async () => {
    const { reachedBy } = await readPolicies(withShop);
    const behind = [...new Set([...Object.values(topology.routes).map(({ alias }) => alias), 'auth'])].sort();
    expect(reachedBy('gateway')).toEqual([...behind, 'shop'].sort());
    expect(reachedBy('shop')).toEqual([]);
    expect((await readPolicies()).reachedBy('gateway')).toEqual(behind);
  });

  it('names are resolved where the DNS of the cluster listens', async () => {
    const dnsPorts = async (values: object) =>
      (await manifests(values)).named('NetworkPolicy', 'store').spec.egress[0].ports;
    expect(await dnsPorts({ global: { networkPolicy: { dnsPorts: [5353] } } })).toEqual([
      { port: 5353, protocol: 'UDP' },
      { port: 5353, protocol: 'TCP' },
    ]);
    expect(await dnsPorts({})).toContainEqual({ port: 53, protocol: 'UDP' });
  });

  it('the site behind /external is reached by both families', async () => {
    const { egress } = (await manifests()).named('NetworkPolicy', 'gateway').spec;
    const peers: Manifest[] = egress.at(-1).to;
    expect(peers.map(({ ipBlock }) => ipBlock.cidr)).toEqual(['0.0.0.0/0', '::/0']);
  });
});

describe('IP families', () => {
  const rendered = async (dualStack: object) => {
    const { ofKind, named } = await manifests({
      global: { dualStack, shop: { enabled: true } },
      gateway: { tls: { existingSecret: 'store-tls' } },
    });
    const { listeners } = parse(named('ConfigMap', 'gateway').data['envoy.yaml']).static_resources;
    const variables: Manifest[] = ofKind('Deployment').flatMap(
      ({ spec }) => spec.template.spec.containers[0].env ?? [],
    );
    return {
      services: ofKind('Service'),
      addresses: listeners.flatMap(({ address }: Manifest) => address?.socket_address ?? []) as Manifest[],
      hosts: variables.filter(({ name }) => name === 'HOST').map(({ value }) => value),
    };
  };

  it.each([
    ['IPv6 alone', { ipFamilies: ['IPv6'] }],
    ['both', { ipFamilyPolicy: 'PreferDualStack' }],
    ['both, by name', { ipFamilyPolicy: 'RequireDualStack', ipFamilies: ['IPv4', 'IPv6'] }],
  ])('with %s every Service says so, and everything listens on ::', async (_, families) => {
    const { services, addresses, hosts } = await rendered(families);
    expect(services.length).toBeGreaterThan(20);
    for (const { spec } of services) expect(spec).toMatchObject(families);
    expect(addresses).toHaveLength(3);
    for (const address of addresses) expect(address).toMatchObject({ address: '::', ipv4_compat: true });
    expect(hosts).toEqual(Array(12).fill('::'));
  });

  it('by default the cluster decides, and no node needs IPv6', async () => {
    const { services, addresses, hosts } = await rendered({});
    for (const { spec } of services) expect(Object.keys(spec).join()).not.toContain('ipFamil');
    for (const address of addresses) {
      expect(address).toMatchObject({ address: '0.0.0.0' });
      expect(address).not.toHaveProperty('ipv4_compat');
    }
    expect(hosts).toEqual([]);
  });
});
