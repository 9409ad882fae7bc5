import { cluster, upgrade, withInstalledValues } from '../kit/cluster.ts';

test('the upgrade that switches an autoscaler on keeps the replicas that there are', async () => {
  const { apps, namespace } = cluster;
  const replicas = async () => (await apps.readNamespacedDeployment({ name: 'invoice', namespace })).spec?.replicas;
  await withInstalledValues(async (file) => {
    await upgrade('--values', file, '--set', 'invoice.replicas=3');
    expect(await replicas()).toBe(3);
    for (const percent of [70, 80]) {
      const autoscaler = `invoice.autoscaling.enabled=true,invoice.autoscaling.cpuPercent=${percent}`;
      await upgrade('--values', file, '--set', autoscaler);
      expect(await replicas()).toBe(3);
    }
  });
});
