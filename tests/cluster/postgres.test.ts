import { setTimeout as pause } from 'node:timers/promises';
import { podsOf } from '../../tools/cluster/pods.ts';
import { nameOf } from '../../tools/cluster/rollout.ts';
import { areAllAvailable, cluster, say, until } from './_cluster.ts';
import { startLoad } from './_load.ts';

const { core, namespace } = cluster;

const restarts = async () =>
  (await podsOf(cluster))
    .filter(({ metadata }) => metadata?.labels?.['app.kubernetes.io/name'] !== 'postgres')
    .flatMap(({ status }) => status?.containerStatuses ?? [])
    .reduce((sum, { restartCount }) => sum + restartCount, 0);

test('PostgreSQL is deleted: all comes back by itself, with its data', async () => {
  const [postgres] = await podsOf(cluster, 'postgres');
  if (!postgres) return say('no PostgreSQL in the release: nothing to delete');
  const before = await restarts();
  const load = await startLoad({ insists: true });
  await pause(5_000);
  const began = Date.now();
  say('PostgreSQL is deleted');
  await core.deleteNamespacedPod({ name: nameOf(postgres), namespace });
  await until('another PostgreSQL is there', async () => {
    const [pod] = await podsOf(cluster, 'postgres');
    return (
      pod?.metadata?.uid !== postgres.metadata?.uid &&
      pod?.status?.conditions?.find(({ type }) => type === 'Ready')?.status === 'True'
    );
  });
  say(`it is ready after ${Math.round((Date.now() - began) / 1000)} s`);
  await until('all parts are ready', areAllAvailable);
  await pause(10_000);
  const recovered = Date.now();
  await pause(10_000);
  const { answered, failures } = load.since(recovered);
  await load.stop();
  expect(failures).toEqual([]);
  expect(answered).toBeGreaterThan(20);
  await load.verify();
  expect(await restarts()).toBe(before);
});
