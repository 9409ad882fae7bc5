import type { V1Deployment } from '@kubernetes/client-node';
import pWaitFor, { TimeoutError } from 'p-wait-for';
import type { Cluster } from '../api.ts';
import { annotateScaledObject, type CustomObject, conditionOf, listCustomObjects } from '../custom-objects.ts';
import { deploymentsOf, nameOf, patchDeployment } from '../rollout.ts';

/** On a Deployment that a restore has scaled down: its replicas before, for a repeated restore. */
const replicasAnnotation = 'store/replicas-before-restore';
/** On a ScaledObject that a restore has paused: KEDA's annotation before, or an empty text. */
const pauseAnnotation = 'store/paused-replicas-before-restore';
/** KEDA scales to this number and stops. Without the annotation it would soon give a consumer without replicas new ones. */
const kedaAnnotation = 'autoscaling.keda.sh/paused-replicas';

const replicasBefore = ({ metadata }: Pick<V1Deployment, 'metadata'>) => metadata?.annotations?.[replicasAnnotation];
const pauseBefore = ({ metadata }: CustomObject) => metadata.annotations?.[pauseAnnotation];

export const isStoppedByRestore = (workload: Pick<V1Deployment, 'metadata'>) => replicasBefore(workload) !== undefined;
export const isPausedByRestore = (scaledObject: CustomObject) => pauseBefore(scaledObject) !== undefined;

const pauseSeconds = 60;

/** Scales Deployments to zero, and pauses KEDA so that they stay there. Idempotent. */
export async function stop(cluster: Cluster, deployments: V1Deployment[]): Promise<void> {
  const names = deployments.map(nameOf);
  const scaledObjects = await listCustomObjects(cluster, 'scaledobjects');
  const scaling = scaledObjects.filter(({ spec }) => names.includes(spec?.scaleTargetRef?.name ?? ''));
  for (const one of scaling) {
    const before = pauseBefore(one) ?? one.metadata.annotations?.[kedaAnnotation] ?? '';
    await annotateScaledObject(cluster, one.metadata.name, { [kedaAnnotation]: '0', [pauseAnnotation]: before });
  }
  await untilPaused(cluster, scaling);
  for (const one of deployments)
    await scale(cluster, nameOf(one), 0, replicasBefore(one) ?? String(one.spec?.replicas ?? 1));
}

/** Waits until KEDA has paused. If KEDA does not run, it scales nothing, and will find the annotation when it starts. */
async function untilPaused(cluster: Cluster, scaling: CustomObject[]): Promise<void> {
  const names = scaling.map(({ metadata }) => metadata.name);
  const arePaused = async () => {
    const present = await listCustomObjects(cluster, 'scaledobjects');
    const paused = present.filter((one) => conditionOf(one, 'Paused')?.status === 'True');
    return names.every((name) => paused.some(({ metadata }) => metadata.name === name));
  };
  await pWaitFor(arePaused, { interval: 1_000, timeout: pauseSeconds * 1_000 }).catch((error) => {
    if (!(error instanceof TimeoutError)) throw error;
    console.log(
      `  KEDA has not paused ${names.join(', ')} within ${pauseSeconds} s: its operator does not seem to run`,
    );
  });
}

/** Starts everything that a restore has stopped. @returns the names of the Deployments */
export async function startStopped(cluster: Cluster): Promise<string[]> {
  const paused = (await listCustomObjects(cluster, 'scaledobjects')).filter(isPausedByRestore);
  // First, or KEDA would scale back to zero.
  for (const one of paused) {
    const annotations = { [kedaAnnotation]: pauseBefore(one) || null, [pauseAnnotation]: null };
    await annotateScaledObject(cluster, one.metadata.name, annotations);
  }
  const stopped = (await deploymentsOf(cluster)).filter(isStoppedByRestore);
  for (const one of stopped) await scale(cluster, nameOf(one), Number(replicasBefore(one)), null);
  return stopped.map(nameOf);
}

const scale = (cluster: Cluster, name: string, replicas: number, before: string | null) =>
  patchDeployment(cluster, name, { metadata: { annotations: { [replicasAnnotation]: before } }, spec: { replicas } });
