import { renderChart, valuesFiles } from '../../../tools/chart/render.ts';
import { kubectl, say } from '../kit/cluster.ts';

const namespace = 'store-dry-run';
/** The API server refuses pods that violate the level, and warns about workloads whose pods would violate it. */
const restricted = {
  'pod-security.kubernetes.io/enforce': 'restricted',
  'pod-security.kubernetes.io/warn': 'restricted',
};
const create = { apiVersion: 'v1', kind: 'Namespace', metadata: { name: namespace, labels: restricted } };

const remove = () => kubectl(['delete', 'namespace', namespace, '--ignore-not-found', '--timeout=120s']);

// Uses kubectl, because it prints the API server's warnings.
beforeAll(async () => {
  await remove();
  await kubectl(['apply', '-f', '-'], { input: JSON.stringify(create) });
}, 180_000);
afterAll(remove, 180_000);

const atIngress = { ingress: { enabled: true, hosts: ['store.example.com'], tlsSecret: 'store-tls' } };
const byRoute = { httpRoute: { enabled: true, parentRefs: [{ name: 'public', sectionName: 'https' }] } };

// Needs Strimzi's custom resource definitions, which its operator installs.
const cases: [string, string[], object][] = [
  ...Object.entries(valuesFiles).map(([name, files]): [string, string[], object] => [`${name} values`, files, {}]),
  ['TLS at the gateway', [], { tls: { existingSecret: 'store-tls' }, service: { type: 'LoadBalancer' } }],
  ['an Ingress', [], atIngress],
];
const { stdout: known } = await kubectl(['api-resources', '--output', 'name']);
if (known.includes('httproutes.gateway.networking.k8s.io')) cases.push(['an HTTPRoute', [], byRoute]);
else say('skipped: an HTTPRoute, because the cluster does not know the Gateway API');

it.each(cases)('the API server accepts the chart with %s', async (_, files, gateway) => {
  // The installed release already uses the node port.
  const service = { nodePort: null, ...('service' in gateway && (gateway.service as object)) };
  const input = await renderChart(files, { gateway: { ...gateway, service } }, namespace);
  const apply = ['apply', '--namespace', namespace, '--dry-run=server', '-f', '-'];
  const { exitCode, stderr } = await kubectl(apply, { input, reject: false });
  const warnings = stderr.split('\n').filter((line) => line && !line.includes('version skew'));
  expect({ exitCode, warnings }).toEqual({ exitCode: 0, warnings: [] });
});
