import { named, renderObjects } from '../../tools/chart/render.ts';
import { topology } from '../../tools/topology/topology.ts';

type Labels = Record<string, string>;
type Peer = { podSelector?: { matchLabels: Labels } };
interface Rule {
  from?: Peer[];
  to?: Peer[];
  ports?: { port: string | number }[];
}
interface Policy {
  podSelector: { matchLabels?: Labels };
  ingress?: Rule[];
  egress?: Rule[];
}

/** As the containers name them. */
const ports: Record<string, number> = { http: 8080, metrics: 9090 };
const has = (labels: Labels, wanted: Labels = {}) =>
  Object.entries(wanted).every(([name, value]) => labels[name] === value);

/** Connections that the policies of both sides allow. */
async function readPolicies(values: object) {
  const all = await renderObjects(values);
  const policies: Policy[] = all.flatMap(({ kind, spec }) => (kind === 'NetworkPolicy' ? [spec] : []));
  const pods = new Map<string, Labels>(
    all.flatMap(({ kind, metadata, spec }) =>
      kind === 'Deployment' ? [[metadata.name, spec.template.metadata.labels]] : [],
    ),
  );
  const labelsOf = (name: string) => pods.get(name) ?? {};

  /** Rules name pods of this namespace here; those of other namespaces are for Prometheus. */
  function lets(name: string, side: 'ingress' | 'egress', peer: Labels, port: number): boolean {
    const rules = policies
      .filter(({ podSelector }) => podSelector.matchLabels && has(labelsOf(name), podSelector.matchLabels))
      .flatMap((policy) => policy[side] ?? []);
    return rules.some(
      ({ from, to, ports: at = [] }) =>
        at.some((one) => (ports[one.port] ?? one.port) === port) &&
        (from ?? to)?.some(({ podSelector }) => podSelector && has(peer, podSelector.matchLabels)),
    );
  }
  const reaches = (from: string, to: string, port = 8080) =>
    lets(from, 'egress', labelsOf(to), port) && lets(to, 'ingress', labelsOf(from), port);
  return {
    names: [...pods.keys()],
    reachedBy: (from: string, port?: number) => [...pods.keys()].filter((to) => reaches(from, to, port)).sort(),
  };
}

it('each service reaches those that it calls, such as order auth, and no others', async () => {
  const { reachedBy } = await readPolicies({});
  for (const { alias, calls } of topology.services)
    expect([alias, reachedBy(alias)]).toEqual([alias, [...calls].sort()]);
  expect(topology.services.find(({ alias }) => alias === 'order')?.calls).toContain('auth');
});

it('the console reads the metrics of every service, and nobody reaches the console', async () => {
  const { names, reachedBy } = await readPolicies({ global: { shop: { enabled: true } } });
  const others = topology.services.map(({ alias }) => alias).filter((alias) => alias !== 'console');
  expect(reachedBy('console', 9090)).toEqual(others.sort());
  expect(names.filter((name) => reachedBy(name).includes('console'))).toEqual([]);
});

it('the gateway reaches the shop where there is one, and the shop reaches nobody', async () => {
  const { reachedBy } = await readPolicies({ global: { shop: { enabled: true } } });
  const behind = [...new Set([...Object.values(topology.routes).map(({ alias }) => alias), 'auth'])].sort();
  expect(reachedBy('gateway')).toEqual([...behind, 'shop'].sort());
  expect(reachedBy('shop')).toEqual([]);
  expect((await readPolicies({})).reachedBy('gateway')).toEqual(behind);
});

it('names are resolved where the DNS of the cluster listens', async () => {
  const dnsPorts = async (values: object) => {
    const all = await renderObjects(values);
    const [rule] = named(all, 'NetworkPolicy', 'store').spec.egress;
    return rule.ports;
  };
  expect(await dnsPorts({ global: { networkPolicy: { dnsPorts: [5353] } } })).toEqual([
    { port: 5353, protocol: 'UDP' },
    { port: 5353, protocol: 'TCP' },
  ]);
  expect(await dnsPorts({})).toContainEqual({ port: 53, protocol: 'UDP' });
});
