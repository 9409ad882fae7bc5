import type { V1ContainerStatus, V1Pod } from '@kubernetes/client-node';
import type { Cluster } from '../api.ts';
import { evaluate } from '../pods.ts';
import { nameOf } from '../rollout.ts';
import { type Finding, wrong } from './findings.ts';

const imageReasons = ['ErrImagePull', 'ImagePullBackOff', 'ErrImageNeverPull', 'InvalidImageName'];

/** Finds what keeps a pod from being ready; nothing where it is ready or just starting. */
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
  if (imageReasons.includes(reason))
    return wrong(
      `${pod} has no image ${image}`,
      'make images loads it into the cluster; for a registry see global.image in the values',
    );
  if (reason === 'CreateContainerConfigError')
    return wrong(`${pod} cannot be started: ${message}`, `kubectl -n ${namespace} get secrets lists those that exist`);
  if (reason === 'CrashLoopBackOff' || (state?.terminated && end?.exitCode !== 0)) {
    const cause = end?.message ? lastMessage(end.message) : `${end?.reason}, exit code ${end?.exitCode}`;
    return wrong(`${pod}, container ${name} keeps exiting: ${cause}`, 'correct what it names, then make deploy');
  }
  return undefined;
}

/** The last line of a container's output that is not indented, with those below it; of a JSON line its message. */
function lastMessage(text: string): string {
  const lines = text.trim().split('\n');
  const from = lines.findLastIndex((line) => !line.startsWith('  '));
  return lines
    .slice(from)
    .map((line) => /^\{.*"msg":"((?:[^"\\]|\\.)*)"/.exec(line)?.[1] ?? line.trim())
    .join(' ');
}

/** A container that is running but not ready. A service lists the dependencies that it waits for. */
async function checkReadiness(cluster: Cluster, pod: V1Pod, container: string): Promise<Finding> {
  const what = `pod ${nameOf(pod)} is running but not ready`;
  const logs = `kubectl -n ${cluster.namespace} logs ${nameOf(pod)} -c ${container}`;
  const { ports } = pod.spec?.containers.find(({ name }) => name === container) ?? {};
  const port = ports?.find(({ name }) => name === 'http')?.containerPort;
  const program = `
    const response = await fetch('http://127.0.0.1:${port}/health/ready', { signal: AbortSignal.timeout(5_000) });
    console.log(await response.text());`;
  const { waitingFor = [] } = await evaluate<{ waitingFor?: string[] }>(cluster, pod, program, container).catch(
    () => ({ waitingFor: [] }), // not a service, or it does not respond
  );
  return waitingFor.length === 0
    ? wrong(what, logs)
    : wrong(`${what}: it waits for ${waitingFor.join(', ')}`, `${logs} says why`);
}
