import { PassThrough } from 'node:stream';
import { text } from 'node:stream/consumers';
import { Exec, type V1Pod } from '@kubernetes/client-node';
import type { Cluster } from './api.ts';
import { componentsOf, nameOf } from './rollout.ts';

export async function podsOf({ core, namespace, release }: Cluster, component?: string): Promise<V1Pod[]> {
  return (await core.listNamespacedPod({ namespace, labelSelector: componentsOf(release, component) })).items;
}

export const componentOf = ({ metadata }: V1Pod) => metadata?.labels?.['app.kubernetes.io/name'] ?? '';

export const isReady = ({ metadata, status }: V1Pod) =>
  !metadata?.deletionTimestamp &&
  status?.conditions?.some(({ type, status }) => type === 'Ready' && status === 'True') === true;

/** Runs a command in a container, by default the pod's first. @returns its standard output */
export async function exec(cluster: Cluster, pod: V1Pod, command: string[], container?: string): Promise<string> {
  const name = container ?? pod.spec?.containers[0]?.name ?? '';
  const [out, err] = [new PassThrough(), new PassThrough()];
  const output = Promise.all([text(out), text(err)]);
  const failure = await new Promise<string | undefined>((resolve, reject) => {
    new Exec(cluster.config)
      .exec(cluster.namespace, nameOf(pod), name, command, out, err, null, false, (status) =>
        resolve(status.status === 'Success' ? undefined : status.message),
      )
      .then((socket) => {
        socket.onerror = (event: { message: string }) => reject(new Error(event.message));
        socket.onclose = () => reject(new Error('the connection was closed')); // ignored after a status
      }, reject);
  });
  const [stdout, stderr] = await output;
  if (failure !== undefined) throw new Error(/^\w*Error.*?: .*/m.exec(stderr)?.[0] ?? (stderr.trim() || failure));
  return stdout;
}

/** Runs a JavaScript module in a container with Node. @returns the JSON that it prints */
export async function evaluate<T>(cluster: Cluster, pod: V1Pod, source: string, container?: string): Promise<T> {
  return JSON.parse(await exec(cluster, pod, ['node', '--input-type=module', '--eval', source], container));
}
