import { renderChart, valuesFiles } from '../../../tools/chart/render.ts';
import { kubectl } from '../kit/cluster.ts';

const namespace = 'store-dry-run';
/** The API server refuses pods that violate the level, and warns about workloads whose pods would. */
const restricted = {
  'pod-security.kubernetes.io/enforce': 'restricted',
  'pod-security.kubernetes.io/warn': 'restricted',
};
const create = { apiVersion: 'v1', kind: 'Namespace', metadata: { name: namespace, labels: restricted } };

const remove = () => kubectl(['delete', 'namespace', namespace, '--ignore-not-found', '--timeout=120s']);

// With kubectl, because it prints the warnings of the API server.
beforeAll(async () => {
  await remove();
  await kubectl(['apply', '-f', '-'], { input: JSON.stringify(create) });
}, 180_000);
afterAll(remove, 180_000);

// Needs Strimzi's custom resource definitions, which its operator brings along.
test.each(Object.entries(valuesFiles))('the API server accepts the chart with %s values', async (_, files) => {
  // The installed release has the node port already.
  const input = await renderChart(files, { gateway: { service: { nodePort: null } } }, namespace);
  const apply = ['apply', '--namespace', namespace, '--dry-run=server', '-f', '-'];
  const { exitCode, stderr } = await kubectl(apply, { input, reject: false });
  const warnings = stderr.split('\n').filter((line) => line && !line.includes('version skew'));
  expect({ exitCode, warnings }).toEqual({ exitCode: 0, warnings: [] });
});
