import { setTimeout as pause } from 'node:timers/promises';
import { isReady } from '../../../tools/cluster/pods.ts';
import { nameOf } from '../../../tools/cluster/rollout.ts';
import { cluster, say, until } from '../kit/cluster.ts';
import { underLoad } from '../kit/load.ts';

const { core, namespace } = cluster;

const instances = async (role: string) => {
  const labelSelector = `cnpg.io/cluster=store-database,cnpg.io/instanceRole=${role}`;
  return (await core.listNamespacedPod({ namespace, labelSelector })).items;
};

const hasPrimary = (await instances('primary')).length > 0;
if (!hasPrimary)
  console.log('The release has no PostgreSQL by CloudNativePG: database.cloudnativePg.enabled is false.');

const faults = { 'deleted, as by the drain of a node': undefined, killed: 0 };

(hasPrimary ? test : test.skip)('no order is lost or doubled where the primary is deleted, and killed', async () => {
  const load = await underLoad({ retriesOrders: true }, async (load) => {
    for (const [fault, gracePeriodSeconds] of Object.entries(faults)) {
      const [primary] = await instances('primary');
      const replicas = (await instances('replica')).length;
      if (!primary) throw new Error('There is no primary.');
      const startedAt = Date.now();
      say(`the primary, ${nameOf(primary)}, is ${fault}`);
      await core.deleteNamespacedPod({ name: nameOf(primary), namespace, gracePeriodSeconds });
      await until('another one is the primary', async () =>
        (await instances('primary')).some((pod) => isReady(pod) && nameOf(pod) !== nameOf(primary)),
      );
      await until('there are as many replicas as before', async () => {
        const ready = (await instances('replica')).filter(isReady);
        return ready.length >= replicas;
      });
      await pause(5_000);
      const recoveredAt = Date.now();
      await pause(10_000);
      const { orders, failures } = load.since(recoveredAt);
      expect(failures).toEqual([]);
      expect(orders).toBeGreaterThan(0);
      const seconds = load.longestPause(startedAt);
      say(`${seconds.toFixed(1)} s without orders`);
      expect(seconds).toBeLessThan(30);
    }
  });
  await load.verify();
});
