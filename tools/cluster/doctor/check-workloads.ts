import type { V1ContainerStatus, V1Deployment, V1Pod, V1StatefulSet } from '@kubernetes/client-node';
import type { Cluster } from '../api.ts';
import { ask } from '../pods.ts';
import { nameOf, selectorOf } from '../rollout.ts';
import { type Finding, ok, wrong } from './findings.ts';

/** Are all copies there, and if not, what do their pods say? */
export async function checkWorkload(cluster: Cluster, workload: V1Deployment | V1StatefulSet): Promise<Finding[]> {
  const { core, namespace } = cluster;
  const name = nameOf(workload);
  const wanted = workload.spec?.replicas ?? 1;
  const available = workload.status?.availableReplicas ?? 0;
  const labelSelector = selectorOf(workload.spec?.selector);
  const pods = (await core.listNamespacedPod({ namespace, labelSelector })).items;
  const findings = (await Promise.all(pods.map((pod) => checkPod(cluster, pod)))).flat();
  if (wanted === 0)
    return [
      wrong(
        `${name}: no copy is wanted`,
        `kubectl -n ${namespace} scale --replicas=1 ${kindOf(workload)}/${name}, if that is not meant`,
      ),
    ];
  if (available >= wanted) {
    const restarts = pods
      .flatMap(({ status }) => status?.containerStatuses ?? [])
      .reduce((sum, one) => sum + one.restartCount, 0);
    return [
      ok(`${name}: ${available} of ${wanted} ready${restarts ? `, ${restarts} restarts so far` : ''}`),
      ...findings,
    ];
  }
  if (findings.length > 0) return findings;
  const stuck = workload.status?.conditions?.find(({ type, status }) => type === 'ReplicaFailure' && status === 'True');
  return [
    wrong(
      `${name}: ${available} of ${wanted} ready`,
      stuck?.message ?? `wait, or see kubectl -n ${namespace} describe ${kindOf(workload)}/${name}`,
    ),
  ];
}

const kindOf = (workload: V1Deployment | V1StatefulSet) =>
  'serviceName' in (workload.spec ?? {}) ? 'statefulset' : 'deployment';

/** Only what is wrong. */
async function checkPod(cluster: Cluster, pod: V1Pod): Promise<Finding[]> {
  const name = `pod ${nameOf(pod)}`;
  if (pod.metadata?.deletionTimestamp || pod.status?.phase === 'Succeeded') return [];
  const unscheduled = pod.status?.conditions?.find(({ type, status }) => type === 'PodScheduled' && status === 'False');
  if (unscheduled) return [wrong(`${name} has no node`, unscheduled.message ?? 'see kubectl describe')];
  const found = (pod.status?.containerStatuses ?? []).map((status) => checkContainer(name, status, cluster.namespace));
  const findings = found.filter((one) => one !== undefined);
  if (findings.length > 0) return findings;
  const started = pod.status?.containerStatuses?.filter(({ ready, state }) => !ready && state?.running) ?? [];
  return Promise.all(started.map(({ name: container }) => unready(cluster, pod, container)));
}

function checkContainer(pod: string, { state, lastState, image, name }: V1ContainerStatus, namespace: string) {
  const { reason, message = '' } = state?.waiting ?? {};
  const ended = state?.terminated ?? lastState?.terminated;
  if (
    reason === 'ErrImagePull' ||
    reason === 'ImagePullBackOff' ||
    reason === 'ErrImageNeverPull' ||
    reason === 'InvalidImageName'
  )
    return wrong(
      `${pod} has no image ${image}`,
      'make images brings it into the cluster; else see global.image in the values',
    );
  if (reason === 'CreateContainerConfigError')
    return wrong(
      `${pod} cannot be started: ${message}`,
      `kubectl -n ${namespace} get secrets shows those that are there`,
    );
  if (reason === 'CrashLoopBackOff' || (state?.terminated && ended?.exitCode !== 0)) {
    const said = ended?.message ? lastLines(ended.message) : `${ended?.reason}, exit code ${ended?.exitCode}`;
    return wrong(`${pod}, ${name} ends at once: ${said}`, 'mend what it names, then make deploy');
  }
  return undefined;
}

/** Of what a container said at its end: the list of a wrong configuration, or the message of its last line of log. */
export function lastLines(text: string): string {
  const lines = text.trim().split('\n');
  const from = lines.findLastIndex((line) => !line.startsWith('  '));
  return lines
    .slice(from)
    .map((line) => /^\{.*"msg":"((?:[^"\\]|\\.)*)"/.exec(line)?.[1] ?? line.trim())
    .join(' ');
}

/** It runs but is not ready: a service says what it waits for. */
async function unready(cluster: Cluster, pod: V1Pod, container: string): Promise<Finding> {
  const what = `pod ${nameOf(pod)} runs but is not ready`;
  const logs = `kubectl -n ${cluster.namespace} logs ${nameOf(pod)} -c ${container}`;
  const port = pod.spec?.containers.find(({ name }) => name === container)?.ports?.find(({ name }) => name === 'http');
  const answer = port && (await ask(cluster, pod, port.containerPort, '/health/ready').catch(() => undefined));
  const waiting = /"waitingFor":\[(.*?)\]/
    .exec(answer?.text ?? '')?.[1]
    ?.replaceAll('"', '')
    .replaceAll(',', ', ');
  return waiting === undefined ? wrong(what, logs) : wrong(`${what}: it waits for ${waiting}`, `${logs} says why`);
}
