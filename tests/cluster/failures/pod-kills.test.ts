import { setTimeout as pause } from 'node:timers/promises';
import { componentOf, isReady, podsOf } from '../../../tools/cluster/pods.ts';
import { nameOf } from '../../../tools/cluster/rollout.ts';
import { topology } from '../../../tools/topology/topology.ts';
import { areAllAvailable, cluster, deploymentNames, say, until, upgrade, withInstalledValues } from '../kit/cluster.ts';
import { underLoad } from '../kit/load.ts';

const { core, namespace } = cluster;

/** These serve customers' requests. Requests in flight on a killed replica are lost. */
const requestPath = [
  'gateway',
  ...new Set(Object.values(topology.routes).flatMap(({ alias, calls }) => [alias, ...calls])),
];
/** Runs with one replica: it keeps its observations in memory, and operators can wait for it. */
const single = 'console';
/** Covers the gateway's health check interval of 2 s and the time-out of the last request to the killed replica. */
const detectionMs = 10_000;

// An autoscaler may have set the replica count once more before its removal.
afterAll(() => upgrade('--reuse-values', '--force-conflicts'));

it('killing one of two replicas of any component fails only its in-flight requests', async () => {
  await withInstalledValues(async (file) => {
    const names = (await deploymentNames()).filter((name) => name !== single);
    say('helm upgrade to two replicas of every component');
    const small = names.flatMap((name) => ['--set', `${name}.resources.requests.cpu=10m`]);
    await upgrade(
      '--values',
      'charts/store/presets/prod.yaml',
      '--values',
      'tests/cluster/kit/on-one-node.yaml',
      '--values',
      file,
      ...small,
      // A restore may have set the replica counts before.
      '--force-conflicts',
    );
    await until('two replicas of every component are ready', async () => {
      const ready = (await podsOf(cluster)).filter(isReady).map(componentOf);
      return names.every((name) => ready.filter((one) => one === name).length >= 2);
    });
    await pause(10_000);
    const load = await underLoad({ retriesOrders: true }, async (load) => {
      for (const name of names) {
        const pod = (await podsOf(cluster, name)).find(isReady);
        if (!pod) throw new Error(`No replica of ${name} is ready.`);
        const killedAt = Date.now();
        await core.deleteNamespacedPod({ name: nameOf(pod), namespace, gracePeriodSeconds: 0 });
        await pause(detectionMs);
        await until(
          `two replicas of ${name} are ready`,
          async () => (await podsOf(cluster, name)).filter(isReady).length >= 2,
        );
        const { succeeded, failures } = load.since(killedAt);
        const late = failures.filter(({ at }) => at > killedAt + detectionMs);
        say(`${name} killed: ${failures.length} failed, ${late.length} of them after 10 s, ${succeeded} succeeded`);
        for (const { what } of failures.slice(0, 3)) say(`  ${what}`);
        expect({ name, late: late.map(({ what }) => what) }).toEqual({ name, late: [] });
        if (!requestPath.includes(name)) expect({ name, failures }).toEqual({ name, failures: [] });
        expect(failures.length).toBeLessThan(succeeded / 10);
      }
    });
    await load.verify();
    await until('all components are available', areAllAvailable);
  });
});
