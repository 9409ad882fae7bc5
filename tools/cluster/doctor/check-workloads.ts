import type { V1ContainerStatus, V1Deployment, V1Pod, V1StatefulSet } from '@kubernetes/client-node';
import type { Cluster } from '../api.ts';
import { evaluate } from '../pods.ts';
import { isStoppedByRestore } from '../restore/stopped.ts';
import { nameOf, selectorOf } from '../rollout.ts';
import { type Finding, ok, resumeRestore, wrong } from './findings.ts';

/** Checks that all replicas are available; if not, finds the reasons in their pods. */
export async function checkWorkload(cluster: Cluster, workload: V1Deployment | V1StatefulSet): Promise<Finding[]> {
  const { core, namespace } = cluster;
  const name = nameOf(workload);
  const path = `${'serviceName' in (workload.spec ?? {}) ? 'statefulset' : 'deployment'}/${name}`;
  const wanted = workload.spec?.replicas ?? 1;
  const available = workload.status?.availableReplicas ?? 0;
  if (isStoppedByRestore(workload)) return [wrong(`${name}: stopped by a restore`, resumeRestore)];
  const scale = `unless that is intended: kubectl -n ${namespace} scale --replicas=1 ${path}`;
  if (wanted === 0) return [wrong(`${name}: scaled to 0 replicas`, scale)];
  const labelSelector = selectorOf(workload.spec?.selector);
  const pods = (await core.listNamespacedPod({ namespace, labelSelector })).items;
  const findings = (await Promise.all(pods.map((pod) => checkPod(cluster, pod)))).flat();
  const ready = `${name}: ${available} of ${wanted} ready`;
  if (available >= wanted) return [ok(`${ready}${restarts(pods)}`), ...findings];
  if (findings.length > 0) return findings;
  const { conditions } = workload.status ?? {};
  const failure = conditions?.find(({ type, status }) => type === 'ReplicaFailure' && status === 'True');
  return [wrong(ready, failure?.message ?? `wait, or see kubectl -n ${namespace} describe ${path}`)];
}

function restarts(pods: V1Pod[]): string {
  const statuses = pods.flatMap(({ status }) => status?.containerStatuses ?? []);
  const count = statuses.reduce((sum, { restartCount }) => sum + restartCount, 0);
  return count === 0 ? '' : `, ${count} restarts so far`;
}

const imageReasons = ['ErrImagePull', 'ImagePullBackOff', 'ErrImageNeverPull', 'InvalidImageName'];

/** Finds what keeps a pod from being ready; nothing if it is ready or just starting. */
export async function checkPod(cluster: Cluster, pod: V1Pod): Promise<Finding[]> {
  const name = `pod ${nameOf(pod)}`;
  const { phase, conditions, containerStatuses = [] } = pod.status ?? {};
  if (pod.metadata?.deletionTimestamp || phase === 'Succeeded') return [];
  const unscheduled = conditions?.find(({ type, status }) => type === 'PodScheduled' && status === 'False');
  if (unscheduled) return [wrong(`${name} has no node`, unscheduled.message ?? 'see kubectl describe')];
  const findings = containerStatuses.flatMap((status) => checkContainer(name, status, cluster.namespace) ?? []);
  if (findings.length > 0) return findings;
  const unready = containerStatuses.filter(({ ready, state }) => !ready && state?.running);
  return Promise.all(unready.map(({ name: container }) => checkReadiness(cluster, pod, container)));
}

function checkContainer(pod: string, status: V1ContainerStatus, namespace: string): Finding | undefined {
  const { state, lastState, image, name } = status;
  const { reason = '', message = '' } = state?.waiting ?? {};
  const end = state?.terminated ?? lastState?.terminated;
  const load = 'make images loads it into the cluster; for a registry see global.image in the values';
  if (imageReasons.includes(reason)) return wrong(`${pod} has no image ${image}`, load);
  if (reason === 'CreateContainerConfigError')
    return wrong(`${pod} cannot be started: ${message}`, `kubectl -n ${namespace} get secrets lists those that exist`);
  if (reason === 'CrashLoopBackOff' || (state?.terminated && end?.exitCode !== 0)) {
    const cause = end?.message ? lastMessage(end.message) : `${end?.reason}, exit code ${end?.exitCode}`;
    return wrong(`${pod}, container ${name} keeps exiting: ${cause}`, 'correct what it names, then make deploy');
  }
  return undefined;
}

/** The last line of a container's output that is not indented, and the lines after it. Of a JSON line only its message. */
function lastMessage(text: string): string {
  const lines = text.trim().split('\n');
  const from = lines.findLastIndex((line) => !line.startsWith('  '));
  return lines
    .slice(from)
    .map((line) => /^\{.*"msg":"((?:[^"\\]|\\.)*)"/.exec(line)?.[1] ?? line.trim())
    .join(' ');
}

/** Reports a container that is running but not ready. A service lists the dependencies that it waits for. */
async function checkReadiness(cluster: Cluster, pod: V1Pod, container: string): Promise<Finding> {
  const what = `pod ${nameOf(pod)} is running but not ready`;
  const logs = `kubectl -n ${cluster.namespace} logs ${nameOf(pod)} -c ${container}`;
  const { ports } = pod.spec?.containers.find(({ name }) => name === container) ?? {};
  const port = ports?.find(({ name }) => name === 'http')?.containerPort;
  const program = `
    const response = await fetch('http://127.0.0.1:${port}/health/ready', { signal: AbortSignal.timeout(5_000) });
    console.log(await response.text());`;
  const answer = evaluate<{ waitingFor?: string[] }>(cluster, pod, program, container);
  const { waitingFor = [] } = await answer.catch(() => ({ waitingFor: [] })); // not a service, or it does not respond
  if (waitingFor.length === 0) return wrong(what, logs);
  return wrong(`${what}: it waits for ${waitingFor.join(', ')}`, `${logs} says why`);
}
