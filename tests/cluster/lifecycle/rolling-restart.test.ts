import { randomUUID } from 'node:crypto';
import { annotatePods, waitForRollout } from '../../../tools/cluster/rollout.ts';
import { cluster, deploymentNames, say, upgrade, withInstalledValues } from '../kit/cluster.ts';
import { losesNothing } from '../kit/load.ts';

test('a rolling restart of every part, one after another, fails no request and loses no order', async () => {
  await losesNothing(async (load) => {
    for (const name of await deploymentNames()) {
      const began = Date.now();
      await annotatePods(cluster, name, { 'kubectl.kubernetes.io/restartedAt': new Date().toISOString() });
      await waitForRollout(cluster, [name], () => undefined);
      const { answered, failures } = load.since(began);
      say(
        `${name}: replaced in ${Math.round((Date.now() - began) / 1000)} s, ${answered} answered, ${failures.length} failed`,
      );
    }
  });
});

test('an upgrade that replaces all parts at once fails no request and loses no order', async () => {
  await withInstalledValues(async (file) => {
    const names = await deploymentNames();
    await losesNothing(async (load) => {
      const began = Date.now();
      say('helm upgrade with another annotation on all pods');
      const marks = names.flatMap((name) => ['--set', `${name}.podAnnotations.test=${randomUUID()}`]);
      await upgrade('--values', file, ...marks);
      await waitForRollout(cluster, names, () => undefined);
      const { answered, failures } = load.since(began);
      say(`upgraded in ${Math.round((Date.now() - began) / 1000)} s, ${answered} answered, ${failures.length} failed`);
    });
  });
});
