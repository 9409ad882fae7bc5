import { execa } from 'execa';
import { renderChart, valuesFiles } from '../../../tools/chart/render.ts';

const namespace = 'store-dry-run';
/** Pods are refused, and what would make such pods is warned about. */
const restricted = {
  'pod-security.kubernetes.io/enforce': 'restricted',
  'pod-security.kubernetes.io/warn': 'restricted',
};
const create = { apiVersion: 'v1', kind: 'Namespace', metadata: { name: namespace, labels: restricted } };

const remove = () => execa('kubectl', ['delete', 'namespace', namespace, '--ignore-not-found', '--timeout=120s']);

// By kubectl, which shows the warnings of the API server.
beforeAll(async () => {
  await remove();
  await execa('kubectl', ['apply', '-f', '-'], { input: JSON.stringify(create) });
}, 180_000);
afterAll(remove, 180_000);

// Takes the definitions of Strimzi's resources, which come with its operator.
it.each(Object.entries(valuesFiles))('the API server accepts the %s values', async (_, files) => {
  // A node port can be had once only.
  const input = await renderChart(files, { gateway: { service: { nodePort: null } } }, namespace);
  const apply = ['apply', '--namespace', namespace, '--dry-run=server', '-f', '-'];
  const { exitCode, stderr } = await execa('kubectl', apply, { input, reject: false });
  const warnings = stderr.split('\n').filter((line) => line && !line.includes('version skew'));
  expect({ exitCode, warnings }).toEqual({ exitCode: 0, warnings: [] });
});
