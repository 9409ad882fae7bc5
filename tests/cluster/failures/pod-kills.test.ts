import { setTimeout as pause } from 'node:timers/promises';
import { componentOf, isReady, podsOf } from '../../../tools/cluster/pods.ts';
import { nameOf } from '../../../tools/cluster/rollout.ts';
import { areAllAvailable, cluster, deploymentNames, say, until, upgrade, withInstalledValues } from '../kit/cluster.ts';
import { underLoad } from '../kit/load.ts';

const { core, namespace } = cluster;

/** The requests that come to these come from the gateway, and one that is on a dying copy cannot be saved. */
const inTheWay = ['gateway', 'auth', 'account', 'product', 'order', 'status'];
/** Until the gateway has noticed (2 s between its looks) and the last time-out of a request to the dead copy is over. */
const noticedAfterMs = 10_000;

test('production size: one copy of each part is killed, and only what it was just answering fails', async () => {
  await withInstalledValues(async (file) => {
    const names = await deploymentNames();
    say('helm upgrade to two copies of all');
    const small = names.flatMap((name) => ['--set', `${name}.resources.requests.cpu=10m`]);
    await upgrade(
      '--values',
      'k8s/values-prod.yaml',
      '--values',
      'tests/cluster/kit/on-one-node.yaml',
      '--values',
      file,
      ...small,
    );
    await until('two copies of each are ready', async () => {
      const ready = (await podsOf(cluster)).filter(isReady).map(componentOf);
      return names.every((name) => ready.filter((one) => one === name).length >= 2);
    });
    await pause(10_000);
    const load = await underLoad({ insists: true }, async (load) => {
      for (const name of names) {
        const pod = (await podsOf(cluster, name)).find(isReady);
        if (!pod) throw new Error(`No copy of ${name} is ready.`);
        const began = Date.now();
        await core.deleteNamespacedPod({ name: nameOf(pod), namespace, gracePeriodSeconds: 0 });
        await pause(noticedAfterMs);
        await until(`${name}: two copies again`, async () => (await podsOf(cluster, name)).filter(isReady).length >= 2);
        const { answered, failures } = load.since(began);
        const late = failures.filter(({ at }) => at > began + noticedAfterMs);
        say(`${name} killed: ${failures.length} failed, ${late.length} of them later than 10 s, ${answered} answered`);
        for (const { what } of failures.slice(0, 3)) say(`  ${what}`);
        expect({ name, late: late.map(({ what }) => what) }).toEqual({ name, late: [] });
        if (!inTheWay.includes(name)) expect({ name, failures }).toEqual({ name, failures: [] });
        expect(failures.length).toBeLessThan(answered / 10);
      }
    });
    await load.verify();
    await until('all parts are ready', areAllAvailable);
  });
  // An autoscaler may have said its number once more before it was removed.
  await upgrade('--reuse-values', '--force-conflicts');
});
