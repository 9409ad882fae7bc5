import { readFile } from 'node:fs/promises';
import type { V1Container, V1CronJob, V1Deployment, V1Job, V1JobSpec, V1Pod } from '@kubernetes/client-node';
import pWaitFor from 'p-wait-for';
import { type Cluster, orUndefined } from '../api.ts';
import { listCustomObjects } from '../custom-objects.ts';
import { podsOf } from '../pods.ts';
import { componentsOf, containersOf, deploymentsOf, nameOf, variableOf, waitForRollout } from '../rollout.ts';
import { startStopped, stop } from './stopped.ts';

/** Implements make restore. @throws Error as a sentence if it refuses or fails; the services are not started then */
export async function restore(cluster: Cluster, from: string, replace = false): Promise<void> {
  const found = await findRestore(cluster);
  const REPLACE = replace ? 'yes' : 'no';
  const deployments = (await deploymentsOf(cluster)).filter((one) => variableOf(one, 'DATABASE_URL'));

  await runJob(cluster, 'postgres-restore-check-', restoreJob(found, { FROM: from, REPLACE, CHECK: 'yes' }));
  try {
    console.log('1 of 4: stopping the services; their requests are answered with 503 from now on');
    await stop(cluster, deployments);
    const remaining = () => Promise.all(deployments.map((one) => podsOf(cluster, nameOf(one))));
    await pWaitFor(async () => (await remaining()).flat().every(isOver), { interval: 1_000 });

    console.log(`2 of 4: restoring the databases from ${from}`);
    console.log(indented(await runJob(cluster, 'postgres-restore-', restoreJob(found, { FROM: from, REPLACE }))));

    console.log('3 of 4: skipping the events that Kafka still has, since they may be about orders that are lost');
    const program = await readFile(new URL('skip-events.mjs', import.meta.url), 'utf8');
    for (const one of deployments.filter((deployment) => variableOf(deployment, 'CONSUMER_GROUP')))
      console.log(indented(await runJob(cluster, `${nameOf(one)}-skip-`, skipJob(one, program))));
  } catch (error) {
    const again = 'Repeat the command, with --replace if databases are already restored';
    console.log(`The services stay stopped. ${again}, or start them with: make restore ARGS=--start`);
    throw error;
  }
  await start(cluster);
  console.log('Done. Everything accepted after the backup is lost. docs/backup.md says what the store may owe.');
}

/** Prints the names of the backups. */
export async function listBackups(cluster: Cluster): Promise<void> {
  const job = restoreJob(await findRestore(cluster), { FROM: '', CHECK: 'yes' });
  console.log(await runJob(cluster, 'postgres-restore-list-', job));
}

export async function start(cluster: Cluster): Promise<void> {
  console.log('4 of 4: starting the services, which send their events again');
  await waitForRollout(cluster, await startStopped(cluster));
}

/** The CronJob with the pod of a restore. @throws Error that says what to do instead, if there is none */
async function findRestore(cluster: Cluster): Promise<V1CronJob> {
  const { apps, batch, namespace, release } = cluster;
  const found = await batch.readNamespacedCronJob({ name: 'postgres-restore', namespace }).catch(orUndefined);
  if (found) return found;
  const labelSelector = componentsOf(release, 'postgres');
  const isOwn = (await apps.listNamespacedStatefulSet({ namespace, labelSelector })).items.length > 0;
  if (isOwn) throw new Error('The release makes no backups: set postgres.backup.enabled in its values.');
  const isOperated = (await listCustomObjects(cluster, 'clusters')).length > 0;
  const isNotHere = 'This command only restores a PostgreSQL in the release, and there is none';
  if (isOperated)
    throw new Error(
      `${isNotHere}: recover CloudNativePG's from a backup with database.cloudnativePg.recovery, as docs/recovery.md says. kubectl -n ${namespace} get backups.postgresql.cnpg.io lists its backups.`,
    );
  throw new Error(
    `${isNotHere}: restore that of global.externalDatabase by its own means. docs/backup.md says what a restored store owes.`,
  );
}

const isOver = ({ status }: V1Pod) => status?.phase === 'Succeeded' || status?.phase === 'Failed';

const indented = (text: string) => text.replace(/^/gm, '  ');

function restoreJob({ spec }: V1CronJob, given: Record<string, string>) {
  const job = structuredClone(spec?.jobTemplate.spec);
  const pod = job?.template.spec;
  if (!job || !pod) throw new Error('The CronJob postgres-restore has no pod.');
  for (const { env = [] } of [...(pod.initContainers ?? []), ...pod.containers])
    for (const variable of env) variable.value = given[variable.name] ?? variable.value;
  return job;
}

/** A Job in the pod of a service, which has rights to its consumer group. */
function skipJob(deployment: V1Deployment, program: string) {
  const template = structuredClone(deployment.spec?.template);
  const [container] = containersOf(deployment);
  if (!template?.spec || !container) throw new Error(`${nameOf(deployment)} has no pod.`);
  const { args, startupProbe, livenessProbe, ...kept } = container;
  const command = ['node', '--input-type=module', '--eval', program];
  template.spec = { ...template.spec, restartPolicy: 'Never', containers: [{ ...kept, command }] };
  return { template, backoffLimit: 6 };
}

/** Deletes a Job that this command did not see end: its pod would keep the volume of the backups from being deleted. */
const hourSeconds = 3_600;

/** Runs a Job to its end, and deletes it. @returns its output @throws Error with its output, if it fails */
async function runJob(cluster: Cluster, generateName: string, given: V1JobSpec): Promise<string> {
  const { batch, namespace, release } = cluster;
  const labels = { 'app.kubernetes.io/part-of': 'store', 'app.kubernetes.io/instance': release };
  const spec = { ...given, ttlSecondsAfterFinished: hourSeconds };
  const body: V1Job = { metadata: { generateName, labels }, spec };
  const name = nameOf(await batch.createNamespacedJob({ namespace, body }));
  const ended = async () => {
    const { conditions = [] } = (await batch.readNamespacedJob({ name, namespace })).status ?? {};
    const is = (wanted: string) => conditions.some(({ type, status }) => type === wanted && status === 'True');
    return (is('Complete') || is('Failed')) && pWaitFor.resolveWith(is('Complete'));
  };
  const hasSucceeded = await pWaitFor(ended, { interval: 1_000 });
  const output = await outputOf(cluster, name);
  if (!hasSucceeded && output === '') throw new Error(`The Job ${name} failed: kubectl describe says why`);
  await batch.deleteNamespacedJob({ name, namespace, propagationPolicy: 'Background' });
  if (hasSucceeded) return output;
  throw new Error(`The Job ${name} failed: ${output}`);
}

/** Returns the output of the containers that have run, in order. */
async function outputOf({ core, namespace }: Cluster, job: string): Promise<string> {
  const { items } = await core.listNamespacedPod({ namespace, labelSelector: `batch.kubernetes.io/job-name=${job}` });
  const [newest] = items.sort((a, b) => startOf(b) - startOf(a));
  if (!newest?.spec) return '';
  const { initContainers = [], containers } = newest.spec;
  const logOf = ({ name: container }: V1Container) =>
    core.readNamespacedPodLog({ name: nameOf(newest), namespace, container }).catch(() => '');
  return (await Promise.all([...initContainers, ...containers].map(logOf))).join('').trim();
}

const startOf = ({ metadata }: V1Pod) => metadata?.creationTimestamp?.getTime() ?? 0;
