import { execa } from 'execa';
import { renderChart, valuesFiles } from '../../tools/cluster/render.ts';

const namespace = 'store-dry-run';
const create = {
  apiVersion: 'v1',
  kind: 'Namespace',
  metadata: { name: namespace, labels: { 'pod-security.kubernetes.io/enforce': 'restricted' } },
};

beforeAll(() => execa('kubectl', ['apply', '-f', '-'], { input: JSON.stringify(create) }));
afterAll(() => execa('kubectl', ['delete', 'namespace', namespace, '--wait=false']));

// Takes the definitions of Strimzi's resources, which come with its operator.
it.each(Object.entries(valuesFiles))('the API server accepts the %s values', async (_, files) => {
  // A node port can be had once only.
  const input = await renderChart(files, { gateway: { service: { nodePort: null } } }, namespace);
  const apply = ['apply', '--namespace', namespace, '--dry-run=server', '-f', '-'];
  const { exitCode, stderr } = await execa('kubectl', apply, { input, reject: false });
  const warnings = stderr.split('\n').filter((line) => line && !line.includes('version skew'));
  expect({ exitCode, warnings }).toEqual({ exitCode: 0, warnings: [] });
});
