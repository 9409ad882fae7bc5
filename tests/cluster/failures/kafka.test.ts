import { setTimeout as pause } from 'node:timers/promises';
import { PatchStrategy, setHeaderOptions } from '@kubernetes/client-node';
import { isReady } from '../../../tools/cluster/pods.ts';
import { nameOf, selectorOf } from '../../../tools/cluster/rollout.ts';
import { cluster, helm, runTool, say, until } from '../kit/cluster.ts';
import { underLoad } from '../kit/load.ts';

const { core, apps, namespace, release } = cluster;
const outageSeconds = Number(process.env.KAFKA_AWAY_SECONDS ?? 120);

/** The pods behind the bootstrap Service. A StatefulSet or Strimzi's operator controls them. */
async function findBroker() {
  const values = await helm('get', 'values', release, '--all', '--output', 'json');
  const { bootstrapServers }: { bootstrapServers: string } = JSON.parse(values).global.kafka;
  const [host = ''] = (bootstrapServers || 'kafka:9092').split(':');
  const service = await core.readNamespacedService({ name: host, namespace });
  const labels = Object.entries(service.spec?.selector ?? {});
  const podsBy = async (labelSelector: string) => (await core.listNamespacedPod({ namespace, labelSelector })).items;
  const pods = () => podsBy(labels.map((pair) => pair.join('=')).join(','));
  const statefulSet = (await apps.listNamespacedStatefulSet({ namespace })).items.find(({ spec }) =>
    labels.every(([key, value]) => spec?.template.metadata?.labels?.[key] === value),
  );
  const deployments = (await apps.listNamespacedDeployment({ namespace })).items;
  const controller = statefulSet ?? deployments.find((one) => nameOf(one) === 'strimzi-cluster-operator');
  if (!controller) throw new Error(`Nothing in ${namespace} controls the pods behind the Service ${host}.`);
  const scale = (replicas: number) => {
    const request = { name: nameOf(controller), namespace, body: { spec: { replicas } } };
    const options = setHeaderOptions('Content-Type', PatchStrategy.MergePatch);
    return statefulSet
      ? apps.patchNamespacedStatefulSetScale(request, options)
      : apps.patchNamespacedDeploymentScale(request, options);
  };
  return {
    async stop() {
      await scale(0);
      await until(
        'the controller of the broker is stopped',
        async () => (await podsBy(selectorOf(controller.spec?.selector))).length === 0,
      );
      for (const pod of await pods()) await core.deleteNamespacedPod({ name: nameOf(pod), namespace });
      await until('no broker runs', async () => (await pods()).length === 0);
    },
    async start() {
      await scale(1);
      await until('the broker is ready', async () => (await pods()).some(isReady), 600);
    },
  };
}

it('orders are accepted while Kafka is unavailable and confirmed afterwards', async () => {
  const broker = await findBroker();
  const load = await underLoad({}, async (load) => {
    try {
      say(`stopping Kafka for ${outageSeconds} s`);
      await broker.stop();
      const stoppedAt = Date.now();
      await pause(outageSeconds * 1000);
      const { succeeded, orders, failures } = load.since(stoppedAt);
      say(`during the outage: ${succeeded} requests succeeded, ${failures.length} failed, ${orders} orders placed`);
      expect(failures).toEqual([]);
      expect(orders).toBeGreaterThan(outageSeconds / 10);
    } finally {
      await broker.start();
    }
  });
  expect(load.failures).toEqual([]);
  await load.verify();
  await until('make doctor finds nothing wrong', async () =>
    expect((await runTool('cluster/commands/doctor.ts')).stdout).not.toContain('WRONG'),
  );
});
