import { setTimeout as pause } from 'node:timers/promises';
import { componentOf, isReady, podsOf } from '../../../tools/cluster/pods.ts';
import { nameOf } from '../../../tools/cluster/rollout.ts';
import { areAllAvailable, cluster, say, until } from '../kit/cluster.ts';
import { underLoad } from '../kit/load.ts';

const { core, namespace } = cluster;

const restarts = async () =>
  (await podsOf(cluster))
    .filter((pod) => componentOf(pod) !== 'postgres')
    .flatMap(({ status }) => status?.containerStatuses ?? [])
    .reduce((sum, { restartCount }) => sum + restartCount, 0);

it('the store recovers with its data and without restarts when the PostgreSQL pod is deleted', async () => {
  const [postgres] = await podsOf(cluster, 'postgres');
  if (!postgres) throw new Error('The release contains no PostgreSQL: this test needs postgres.enabled=true.');
  const before = await restarts();
  const load = await underLoad({ retriesOrders: true }, async (load) => {
    const deletedAt = Date.now();
    say('deleting the PostgreSQL pod');
    await core.deleteNamespacedPod({ name: nameOf(postgres), namespace });
    await until('a new PostgreSQL pod is ready', async () => {
      const pods = await podsOf(cluster, 'postgres');
      return pods.some((pod) => isReady(pod) && pod.metadata?.uid !== postgres.metadata?.uid);
    });
    const seconds = Math.round((Date.now() - deletedAt) / 1000);
    say(`ready after ${seconds} s`);
    expect(seconds).toBeLessThan(60); // within the grace period, because its containers stop by themselves
    await until('all components are available', areAllAvailable);
    await pause(10_000);
    const recoveredAt = Date.now();
    await pause(10_000);
    const { succeeded, orders, failures } = load.since(recoveredAt);
    expect(failures).toEqual([]);
    expect(succeeded).toBeGreaterThan(20);
    expect(orders).toBeGreaterThan(0);
  });
  await load.verify();
  expect(await restarts()).toBe(before);
});
