import { parse } from 'yaml';
import { objectsIn, renderChart } from '../../tools/chart/render.ts';

// biome-ignore lint/suspicious/noExplicitAny: Kubernetes' own objects
type Resource = any;

async function rendered(dualStack: object): Promise<Resource[]> {
  const text = await renderChart([], { global: { dualStack, shop: { enabled: true } }, gateway: { tls } });
  return objectsIn(text);
}
const tls = { existingSecret: 'store-tls' };

const ofKind = (all: Resource[], wanted: string) => all.filter(({ kind }) => kind === wanted);

/** Where the gateway listens, for each of its ports. */
function addressesOf(all: Resource[]): object[] {
  const { data } = ofKind(all, 'ConfigMap').find(({ metadata }) => metadata.name === 'gateway');
  const { listeners } = parse(data['envoy.yaml']).static_resources;
  return listeners.flatMap(({ address }: Resource) => address?.socket_address ?? []);
}

const hostsOf = (all: Resource[]) =>
  ofKind(all, 'Deployment').flatMap(({ spec }) =>
    (spec.template.spec.containers[0].env ?? []).flatMap(({ name, value }: Resource) => (name === 'HOST' ? value : [])),
  );

it.each([
  ['IPv6 alone', { ipFamilies: ['IPv6'] }],
  ['both', { ipFamilyPolicy: 'PreferDualStack' }],
  ['both, by name', { ipFamilyPolicy: 'RequireDualStack', ipFamilies: ['IPv4', 'IPv6'] }],
])('with %s every Service says so, and everything listens on ::', async (_, families) => {
  const all = await rendered(families);
  const services = ofKind(all, 'Service');
  expect(services.length).toBeGreaterThan(20);
  for (const { spec } of services) expect(spec).toMatchObject(families);
  const addresses = addressesOf(all);
  expect(addresses).toHaveLength(3);
  for (const address of addresses) expect(address).toMatchObject({ address: '::', ipv4_compat: true });
  expect(hostsOf(all)).toEqual(Array(12).fill('::'));
});

it('by default the cluster decides, and no node needs IPv6', async () => {
  const all = await rendered({});
  for (const { spec } of ofKind(all, 'Service')) expect(Object.keys(spec).join()).not.toContain('ipFamil');
  for (const address of addressesOf(all)) {
    expect(address).toMatchObject({ address: '0.0.0.0' });
    expect(address).not.toHaveProperty('ipv4_compat');
  }
  expect(hostsOf(all)).toEqual([]);
});

it('the site behind /external is reached by both families', async () => {
  const policy = ofKind(await rendered({}), 'NetworkPolicy').find(({ metadata }) => metadata.name === 'gateway');
  const peers = policy.spec.egress.at(-1).to.map(({ ipBlock }: Resource) => ipBlock.cidr);
  expect(peers).toEqual(['0.0.0.0/0', '::/0']);
});
