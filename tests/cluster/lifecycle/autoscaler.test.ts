import { CustomObjectsApi } from '@kubernetes/client-node';
import { orUndefined } from '../../../tools/cluster/api.ts';
import { exec } from '../../../tools/cluster/pods.ts';
import { cluster, say, until, upgrade, withInstalledValues } from '../kit/cluster.ts';
import { underLoad } from '../kit/load.ts';

const { apps, config, core, namespace } = cluster;
const replicas = async () => (await apps.readNamespacedDeployment({ name: 'invoice', namespace })).spec?.replicas ?? 0;

const kind = { group: 'keda.sh', version: 'v1alpha1', plural: 'scaledobjects' };
const objects = config.makeApiClient(CustomObjectsApi);
const byLag = await objects.getNamespacedCustomObject({ ...kind, namespace, name: 'invoice' }).catch(orUndefined);

(byLag ? it.skip : it)('an upgrade that enables an autoscaler keeps the current replicas', async () => {
  await withInstalledValues(async (file) => {
    // A restore may have set the replica count before.
    await upgrade('--values', file, '--set', 'invoice.replicas=3', '--force-conflicts');
    expect(await replicas()).toBe(3);
    for (const percent of [70, 80]) {
      const autoscaler = `invoice.autoscaling.enabled=true,invoice.autoscaling.cpuPercent=${percent}`;
      await upgrade('--values', file, '--set', autoscaler);
      expect(await replicas()).toBe(3);
    }
  });
});

/** Slows down the invoice group for a while with locks, each of which ends before the statement time-out. */
async function slowDown(times: number): Promise<void> {
  const labelSelector = 'cnpg.io/cluster=store-database,cnpg.io/instanceRole=primary';
  const [primary] = (await core.listNamespacedPod({ namespace, labelSelector })).items;
  if (!primary) throw new Error('CloudNativePG has no primary.');
  const lock = 'begin; lock table processed_events in share mode; select pg_sleep(4); commit';
  for (let n = 0; n < times; n += 1) await exec(cluster, primary, ['psql', '-d', 'consumers', '-qc', lock], 'postgres');
}

(byLag ? it : it.skip)('a group that lags gets more replicas, and returns to the previous number later', async () => {
  const before = await replicas();
  const load = await underLoad({ retriesOrders: true, orderers: Number(process.env.ORDERERS ?? 3) }, async () => {
    const startedAt = Date.now();
    const seconds = () => Math.round((Date.now() - startedAt) / 1000);
    const slow = slowDown(15);
    await until('there are more replicas', async () => (await replicas()) > before);
    say(`${await replicas()} replicas after ${seconds()} s`);
    await slow;
    say(`${await replicas()} replicas after ${seconds()} s, when the group can work again`);
    await until('there are as many replicas as before', async () => (await replicas()) === before, 600);
    say(`${before} replicas after ${seconds()} s`);
  });
  await load.verify();
});
