import type { V1Job, V1JobSpec, V1Pod } from '@kubernetes/client-node';
import pWaitFor from 'p-wait-for';
import type { Cluster } from '../api.ts';
import { nameOf } from '../rollout.ts';

const daySeconds = 86_400;

/** Runs a Job to its end. @returns its output @throws Error with its output, if it fails */
export async function runJob(cluster: Cluster, generateName: string, given: V1JobSpec): Promise<string> {
  const { batch, namespace } = cluster;
  const body: V1Job = { metadata: { generateName }, spec: { ...given, ttlSecondsAfterFinished: daySeconds } };
  const name = nameOf(await batch.createNamespacedJob({ namespace, body }));
  let job: V1Job = body;
  await pWaitFor(
    async () => {
      job = await batch.readNamespacedJob({ name, namespace });
      return isOver(job);
    },
    { interval: 1_000 },
  );
  const output = await outputOf(cluster, name);
  if (job.status?.succeeded) return output;
  throw new Error(`The Job ${name} failed: ${output || 'kubectl describe says why'}`);
}

const isOver = ({ status }: V1Job) =>
  status?.conditions?.some(({ type, status }) => status === 'True' && (type === 'Complete' || type === 'Failed')) ===
  true;

/** Returns the output of the containers that have run, in their order. */
async function outputOf({ core, namespace }: Cluster, job: string): Promise<string> {
  const { items } = await core.listNamespacedPod({ namespace, labelSelector: `batch.kubernetes.io/job-name=${job}` });
  const [newest] = items.sort((a, b) => startOf(b) - startOf(a));
  if (!newest?.spec) return '';
  const { initContainers = [], containers } = newest.spec;
  const logs = await Promise.all(
    [...initContainers, ...containers].map((container) =>
      core.readNamespacedPodLog({ name: nameOf(newest), namespace, container: container.name }).catch(() => ''),
    ),
  );
  return logs.join('').trim();
}

const startOf = ({ metadata }: V1Pod) => metadata?.creationTimestamp?.getTime() ?? 0;
