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

test('PostgreSQL is deleted: all comes back by itself, with its data', async () => {
  const [postgres] = await podsOf(cluster, 'postgres');
  if (!postgres) throw new Error('The release has no PostgreSQL of its own: this test needs postgres.enabled=true.');
  const before = await restarts();
  const load = await underLoad({ insists: true }, async (load) => {
    const began = Date.now();
    say('PostgreSQL is deleted');
    await core.deleteNamespacedPod({ name: nameOf(postgres), namespace });
    await until('another PostgreSQL is ready', async () => {
      const pods = await podsOf(cluster, 'postgres');
      return pods.some((pod) => isReady(pod) && pod.metadata?.uid !== postgres.metadata?.uid);
    });
    const seconds = Math.round((Date.now() - began) / 1000);
    say(`it is ready after ${seconds} s`);
    expect(seconds).toBeLessThan(60); // the grace period: its containers end by themselves
    await until('all parts are ready', areAllAvailable);
    await pause(10_000);
    const recovered = Date.now();
    await pause(10_000);
    const { answered, orders, failures } = load.since(recovered);
    expect(failures).toEqual([]);
    expect(answered).toBeGreaterThan(20);
    expect(orders).toBeGreaterThan(0);
  });
  await load.verify();
  expect(await restarts()).toBe(before);
});
