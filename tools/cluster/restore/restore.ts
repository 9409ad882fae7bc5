import { readFile } from 'node:fs/promises';
import { PatchStrategy, setHeaderOptions, type V1CronJob, type V1Deployment } from '@kubernetes/client-node';
import pWaitFor from 'p-wait-for';
import { type Cluster, orUndefined } from '../api.ts';
import { podsOf } from '../pods.ts';
import { componentsOf, containersOf, nameOf, variablesOf, waitForRollout } from '../rollout.ts';
import { runJob } from './jobs.ts';

export interface Options {
  from: string;
  /** Drops what the databases hold. */
  replace?: boolean;
}

/** On a Deployment that is scaled down: its replicas before, so that a repetition knows them. */
const replicasAnnotation = 'store/replicas-before-restore';

/** Does the work of make restore. @throws Error as a sentence, where it refuses; nothing is started then */
export async function restore(cluster: Cluster, { from, replace = false }: Options): Promise<void> {
  const { batch, apps, namespace, release } = cluster;
  const found = await batch.readNamespacedCronJob({ name: 'postgres-restore', namespace }).catch(orUndefined);
  if (!found) throw new Error('The release makes no backups: set postgres.backup.enabled in its values.');
  const REPLACE = replace ? 'yes' : 'no';
  const labelSelector = componentsOf(release);
  const { items } = await apps.listNamespacedDeployment({ namespace, labelSelector });
  const deployments = items.filter((one) => has(one, 'DATABASE_URL'));

  await runJob(cluster, 'postgres-restore-check-', restoreJob(found, { FROM: from, REPLACE, CHECK: 'yes' }));

  console.log('1 of 4: the services are stopped; their requests are 503 from now on');
  for (const one of deployments) await scaleDown(cluster, one);
  await pWaitFor(
    async () => (await Promise.all(deployments.map((one) => podsOf(cluster, nameOf(one))))).flat().every(isOver),
    {
      interval: 1_000,
    },
  );

  console.log(`2 of 4: the databases are restored from ${from}`);
  try {
    console.log(indented(await runJob(cluster, 'postgres-restore-', restoreJob(found, { FROM: from, REPLACE }))));
  } catch (error) {
    console.log('The services stay stopped. Repeat the command, or start them with: make restore ARGS=--start');
    throw error;
  }

  console.log('3 of 4: what Kafka still has is skipped, since it may tell of orders that are lost');
  const program = await readFile(new URL('skip-events.mjs', import.meta.url), 'utf8');
  for (const one of deployments.filter((deployment) => has(deployment, 'CONSUMER_GROUP')))
    console.log(indented(await runJob(cluster, `${nameOf(one)}-skip-`, skipJob(one, program))));

  await start(cluster);
  console.log('Done. What was accepted after the backup is lost, and what the store may owe is said in docs/backup.md');
}

/** Starts what a restore has stopped. */
export async function start(cluster: Cluster): Promise<void> {
  const { apps, namespace, release } = cluster;
  const { items } = await apps.listNamespacedDeployment({ namespace, labelSelector: componentsOf(release) });
  const stopped = items.filter(({ metadata }) => metadata?.annotations?.[replicasAnnotation] !== undefined);
  console.log('4 of 4: the services are started, and send their events again');
  for (const { metadata } of stopped) {
    const replicas = Number(metadata?.annotations?.[replicasAnnotation]);
    await patch(cluster, metadata?.name ?? '', replicas, null);
  }
  await waitForRollout(cluster, stopped.map(nameOf), (line) => console.log(`  ${line}`));
}

const has = (deployment: V1Deployment, variable: string) =>
  variablesOf(deployment).some(({ name }) => name === variable);

const isOver = ({ status }: { status?: { phase?: string } }) =>
  status?.phase === 'Succeeded' || status?.phase === 'Failed';

const indented = (text: string) => text.replace(/^/gm, '  ');

async function scaleDown(cluster: Cluster, { metadata, spec }: V1Deployment): Promise<void> {
  const replicas = metadata?.annotations?.[replicasAnnotation] ?? String(spec?.replicas ?? 1);
  await patch(cluster, metadata?.name ?? '', 0, replicas);
}

const patch = ({ apps, namespace }: Cluster, name: string, replicas: number, before: string | null) =>
  apps.patchNamespacedDeployment(
    { name, namespace, body: { metadata: { annotations: { [replicasAnnotation]: before } }, spec: { replicas } } },
    setHeaderOptions('Content-Type', PatchStrategy.StrategicMergePatch),
  );

/** The Job that the chart describes, with these variables. */
function restoreJob({ spec }: V1CronJob, given: Record<string, string>) {
  const job = structuredClone(spec?.jobTemplate.spec);
  const pod = job?.template.spec;
  if (!job || !pod) throw new Error('The CronJob postgres-restore has no pod.');
  for (const { env = [] } of [...(pod.initContainers ?? []), ...pod.containers])
    for (const variable of env) variable.value = given[variable.name] ?? variable.value;
  return job;
}

/** A Job in the pod of a service, which has the rights to its group. */
function skipJob(deployment: V1Deployment, program: string) {
  const template = structuredClone(deployment.spec?.template);
  const [container] = containersOf(deployment);
  if (!template?.spec || !container) throw new Error(`${nameOf(deployment)} has no pod.`);
  const { args, startupProbe, livenessProbe, ...kept } = container;
  const command = ['node', '--input-type=module', '--eval', program];
  template.spec = { ...template.spec, restartPolicy: 'Never', containers: [{ ...kept, command }] };
  return { template, backoffLimit: 6 };
}
