import { randomUUID } from 'node:crypto';
import { annotatePods, waitForRollout } from '../../../tools/cluster/rollout.ts';
import { cluster, deploymentNames, say, upgrade, withInstalledValues } from '../kit/cluster.ts';
import { expectNoLoss } from '../kit/load.ts';

it('rolling restarts of all components, one after another, fail no request and lose no order', async () => {
  await expectNoLoss(async (load) => {
    for (const name of await deploymentNames()) {
      const startedAt = Date.now();
      const annotations = { 'kubectl.kubernetes.io/restartedAt': new Date().toISOString() };
      await annotatePods(cluster, [name], annotations, () => undefined);
      const { succeeded, failures } = load.since(startedAt);
      const seconds = Math.round((Date.now() - startedAt) / 1000);
      say(`${name}: restarted in ${seconds} s, ${succeeded} requests succeeded, ${failures.length} failed`);
    }
  });
});

it('an upgrade that replaces all components at once fails no request and loses no order', async () => {
  await withInstalledValues(async (file) => {
    const names = await deploymentNames();
    await expectNoLoss(async (load) => {
      const startedAt = Date.now();
      say('helm upgrade with a new annotation on all pods');
      const marks = names.flatMap((name) => ['--set', `${name}.podAnnotations.test=${randomUUID()}`]);
      await upgrade('--values', file, ...marks);
      await waitForRollout(cluster, names, () => undefined);
      const { succeeded, failures } = load.since(startedAt);
      const seconds = Math.round((Date.now() - startedAt) / 1000);
      say(`upgraded in ${seconds} s, ${succeeded} requests succeeded, ${failures.length} failed`);
    });
  });
});
