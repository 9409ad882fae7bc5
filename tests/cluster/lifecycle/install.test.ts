import { cluster, findGateway, kubectl, runTool } from '../kit/cluster.ts';

const { namespace } = cluster;

it('make demo succeeds on the installed store', async () => {
  const { all } = await runTool('local/commands/demo.ts', [], { GATEWAY_URL: await findGateway() });
  expect(all).toContain('Everything went as expected.');
});

// A different version from the one already enforced, so that the API server checks all running pods.
it('all pods satisfy the Pod Security level restricted', async () => {
  const level = ['pod-security.kubernetes.io/enforce=restricted', 'pod-security.kubernetes.io/enforce-version=v1.32'];
  const label = ['label', '--dry-run=server', '--overwrite', 'namespace', namespace, ...level];
  const { stdout, stderr } = await kubectl(label);
  expect(stdout).toContain('labeled (server dry run)');
  expect(stderr).not.toContain('violate');
});
