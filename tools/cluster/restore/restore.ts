import { readFile } from 'node:fs/promises';
import type { V1Container, V1CronJob, V1Deployment, V1Job, V1JobSpec, V1Pod } from '@kubernetes/client-node';
import pWaitFor from 'p-wait-for';
import { type Cluster, orUndefined } from '../api.ts';
import { podsOf } from '../pods.ts';
import { containersOf, deploymentsOf, nameOf, patchDeployment, variableOf, waitForRollout } from '../rollout.ts';

/** On a Deployment that is scaled down: its replicas before, so that a repetition knows them. */
const replicasAnnotation = 'store/replicas-before-restore';

const replicasBefore = ({ metadata }: V1Deployment) => metadata?.annotations?.[replicasAnnotation];

/** Does the work of make restore. @throws Error as a sentence, where it refuses; nothing is started then */
export async function restore(cluster: Cluster, from: string, replace = false): Promise<void> {
  const { batch, namespace } = cluster;
  const found = await batch.readNamespacedCronJob({ name: 'postgres-restore', namespace }).catch(orUndefined);
  if (!found) throw new Error('The release makes no backups: set postgres.backup.enabled in its values.');
  const REPLACE = replace ? 'yes' : 'no';
  const deployments = (await deploymentsOf(cluster)).filter((one) => variableOf(one, 'DATABASE_URL'));

  await runJob(cluster, 'postgres-restore-check-', restoreJob(found, { FROM: from, REPLACE, CHECK: 'yes' }));

  console.log('1 of 4: the services are stopped; their requests are 503 from now on');
  for (const one of deployments)
    await scale(cluster, nameOf(one), 0, replicasBefore(one) ?? String(one.spec?.replicas ?? 1));
  const remaining = () => Promise.all(deployments.map((one) => podsOf(cluster, nameOf(one))));
  await pWaitFor(async () => (await remaining()).flat().every(isOver), { interval: 1_000 });

  console.log(`2 of 4: the databases are restored from ${from}`);
  try {
    console.log(indented(await runJob(cluster, 'postgres-restore-', restoreJob(found, { FROM: from, REPLACE }))));
  } catch (error) {
    console.log('The services stay stopped. Repeat the command, or start them with: make restore ARGS=--start');
    throw error;
  }

  console.log('3 of 4: what Kafka still has is skipped, since it may tell of orders that are lost');
  const program = await readFile(new URL('skip-events.mjs', import.meta.url), 'utf8');
  for (const one of deployments.filter((deployment) => variableOf(deployment, 'CONSUMER_GROUP')))
    console.log(indented(await runJob(cluster, `${nameOf(one)}-skip-`, skipJob(one, program))));

  await start(cluster);
  console.log('Done. What was accepted after the backup is lost, and what the store may owe is said in docs/backup.md');
}

export async function start(cluster: Cluster): Promise<void> {
  const stopped = (await deploymentsOf(cluster)).filter(replicasBefore);
  console.log('4 of 4: the services are started, and send their events again');
  for (const one of stopped) await scale(cluster, nameOf(one), Number(replicasBefore(one)), null);
  await waitForRollout(cluster, stopped.map(nameOf));
}

const isOver = ({ status }: V1Pod) => status?.phase === 'Succeeded' || status?.phase === 'Failed';

const indented = (text: string) => text.replace(/^/gm, '  ');

const scale = (cluster: Cluster, name: string, replicas: number, before: string | null) =>
  patchDeployment(cluster, name, { metadata: { annotations: { [replicasAnnotation]: before } }, spec: { replicas } });

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

const daySeconds = 86_400;

/** Runs a Job to its end. @returns its output @throws Error with its output, if it fails */
async function runJob(cluster: Cluster, generateName: string, given: V1JobSpec): Promise<string> {
  const { batch, namespace } = cluster;
  const body: V1Job = { metadata: { generateName }, spec: { ...given, ttlSecondsAfterFinished: daySeconds } };
  const name = nameOf(await batch.createNamespacedJob({ namespace, body }));
  const ended = async () => {
    const { conditions = [] } = (await batch.readNamespacedJob({ name, namespace })).status ?? {};
    const is = (wanted: string) => conditions.some(({ type, status }) => type === wanted && status === 'True');
    return (is('Complete') || is('Failed')) && pWaitFor.resolveWith(is('Complete'));
  };
  const hasSucceeded = await pWaitFor(ended, { interval: 1_000 });
  const output = await outputOf(cluster, name);
  if (hasSucceeded) return output;
  throw new Error(`The Job ${name} failed: ${output || 'kubectl describe says why'}`);
}

/** Returns the output of the containers that have run, in their order. */
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
