import { setTimeout as pause } from 'node:timers/promises';
import { PatchStrategy, setHeaderOptions } from '@kubernetes/client-node';
import { execa } from 'execa';
import { isReady } from '../../tools/cluster/pods.ts';
import { readRelease } from '../../tools/cluster/release.ts';
import { root } from '../../tools/local/paths.ts';
import { cluster, say, until, upgrade, withInstalledValues } from './_cluster.ts';
import { startLoad } from './_load.ts';

const { core, apps, batch, namespace } = cluster;
const awaySeconds = Number(process.env.KAFKA_AWAY_SECONDS ?? 120);

/** The Deployment of the broker behind the Service that the services know. */
async function findBroker() {
  const { bootstrapServers } = (await readRelease(cluster))?.values.global.kafka ?? {};
  const [host = ''] = bootstrapServers.split(':');
  const service = await core.readNamespacedService({ name: host, namespace });
  const labels = Object.entries(service.spec?.selector ?? {});
  const labelSelector = labels.map((pair) => pair.join('=')).join(',');
  const deployment = (await apps.listNamespacedDeployment({ namespace })).items.find(({ spec }) =>
    labels.every(([key, value]) => spec?.template.metadata?.labels?.[key] === value),
  );
  if (!deployment)
    throw new Error(`No Deployment stands behind the Service ${host}: this test needs a development Kafka.`);
  const scale = (replicas: number) =>
    apps.patchNamespacedDeploymentScale(
      { name: deployment.metadata?.name ?? '', namespace, body: { spec: { replicas } } },
      setHeaderOptions('Content-Type', PatchStrategy.MergePatch),
    );
  const pods = async () => (await core.listNamespacedPod({ namespace, labelSelector })).items;
  const keepsData = (deployment.spec?.template.spec?.volumes ?? []).some((one) => one.persistentVolumeClaim);
  return { scale, pods, keepsData };
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
  await withInstalledValues(async (file) => {
    await upgrade('--values', file);
  });
}

test('Kafka is away for two minutes: orders are taken all the time, and confirmed afterwards', async () => {
  const broker = await findBroker();
  const load = await startLoad();
  try {
    await pause(10_000);
    say(`Kafka is taken away for ${awaySeconds} s`);
    await broker.scale(0);
    await until('no broker is left', async () => (await broker.pods()).length === 0);
    const away = Date.now();
    await pause(awaySeconds * 1000);
    const { answered, failures } = load.since(away);
    say(`while it was away: ${answered} answered, ${failures.length} failed`);
    expect(failures).toEqual([]);
  } finally {
    await broker.scale(1);
    await until('the broker is back', async () => (await broker.pods()).some(isReady));
    if (!broker.keepsData) await makeTopics();
    await load.stop();
  }
  expect(load.failures).toEqual([]);
  await load.verify();
  const { stdout } = await execa('node', ['--import', 'tsx', 'tools/cluster/doctor.ts'], { cwd: root, reject: false });
  expect(stdout).not.toContain('WRONG');
});
