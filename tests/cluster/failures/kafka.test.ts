import { setTimeout as pause } from 'node:timers/promises';
import { PatchStrategy, setHeaderOptions } from '@kubernetes/client-node';
import { execa } from 'execa';
import { isReady } from '../../../tools/cluster/pods.ts';
import { nameOf, selectorOf } from '../../../tools/cluster/rollout.ts';
import { root } from '../../../tools/paths.ts';
import { cluster, helm, say, until, withInstalledValues } from '../kit/cluster.ts';
import { underLoad } from '../kit/load.ts';

const { core, apps, batch, namespace, release } = cluster;
const outageSeconds = Number(process.env.KAFKA_AWAY_SECONDS ?? 120);

/** Whatever stands behind the Service that the services know: a Deployment, or pods that Strimzi's operator keeps. */
async function findBroker() {
  const values = await helm('get', 'values', release, '--all', '--output', 'json');
  const { bootstrapServers }: { bootstrapServers: string } = JSON.parse(values).global.kafka;
  const [host = ''] = bootstrapServers.split(':');
  const service = await core.readNamespacedService({ name: host, namespace });
  const labels = Object.entries(service.spec?.selector ?? {});
  const podsBy = async (labelSelector: string) => (await core.listNamespacedPod({ namespace, labelSelector })).items;
  const pods = () => podsBy(labels.map((pair) => pair.join('=')).join(','));
  const deployments = (await apps.listNamespacedDeployment({ namespace })).items;
  const own = deployments.find(({ spec }) =>
    labels.every(([key, value]) => spec?.template.metadata?.labels?.[key] === value),
  );
  const keeper = own ?? deployments.find((one) => nameOf(one) === 'strimzi-cluster-operator');
  if (!keeper) throw new Error(`Neither a Deployment nor Strimzi in ${namespace} stands behind the Service ${host}.`);
  const scale = (replicas: number) =>
    apps.patchNamespacedDeploymentScale(
      { name: nameOf(keeper), namespace, body: { spec: { replicas } } },
      setHeaderOptions('Content-Type', PatchStrategy.MergePatch),
    );
  const volumes = (await pods())[0]?.spec?.volumes ?? [];
  return {
    keepsData: volumes.some((one) => one.persistentVolumeClaim),
    async takeDown() {
      await scale(0);
      await until('nobody brings it back', async () => (await podsBy(selectorOf(keeper.spec?.selector))).length === 0);
      for (const pod of await pods()) await core.deleteNamespacedPod({ name: nameOf(pod), namespace });
      await until('no broker is left', async () => (await pods()).length === 0);
    },
    async bringBack() {
      await scale(1);
      await until('the broker is back', async () => (await pods()).some(isReady), 600);
    },
  };
}

/** A broker without a volume comes back empty. */
async function makeTopics() {
  say('this Kafka keeps no data: its topics are made anew');
  const labelSelector = 'app.kubernetes.io/name=store-topics';
  await batch.deleteCollectionNamespacedJob({ namespace, labelSelector, propagationPolicy: 'Foreground' });
  await until(
    'the old job is gone',
    async () => (await batch.listNamespacedJob({ namespace, labelSelector })).items.length === 0,
  );
  await withInstalledValues(async () => undefined);
}

test('Kafka is away for two minutes: orders are taken all the time, and confirmed afterwards', async () => {
  const broker = await findBroker();
  const load = await underLoad({}, async (load) => {
    if (!broker.keepsData) {
      say('this Kafka keeps no data: no order is under way when it goes');
      load.takeOrders(false);
      await pause(5_000);
      await load.settled();
    }
    try {
      say(`Kafka is taken away for ${outageSeconds} s`);
      await broker.takeDown();
      load.takeOrders(true);
      const away = Date.now();
      await pause(outageSeconds * 1000);
      const { answered, orders, failures } = load.since(away);
      say(`while it was away: ${answered} answered, ${orders} orders taken, ${failures.length} failed`);
      expect(failures).toEqual([]);
      expect(orders).toBeGreaterThan(outageSeconds / 10);
    } finally {
      await broker.bringBack();
      if (!broker.keepsData) await makeTopics();
    }
  });
  expect(load.failures).toEqual([]);
  await load.verify();
  await until('the doctor finds nothing wrong', async () => {
    const run = ['--import', 'tsx', 'tools/cluster/commands/doctor.ts'];
    const { stdout } = await execa('node', run, { cwd: root, reject: false });
    expect(stdout).not.toContain('WRONG');
  });
});
