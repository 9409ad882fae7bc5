import { once } from 'node:events';
import { type AddressInfo, createServer } from 'node:net';
import { PassThrough, Writable } from 'node:stream';
import { Exec, PortForward, type V1Pod } from '@kubernetes/client-node';
import type { Cluster } from './api.ts';
import { componentsOf, nameOf } from './rollout.ts';

export async function podsOf({ core, namespace, release }: Cluster, component?: string): Promise<V1Pod[]> {
  const labelSelector = component
    ? `${componentsOf(release)},app.kubernetes.io/name=${component}`
    : componentsOf(release);
  return (await core.listNamespacedPod({ namespace, labelSelector })).items;
}

/** The part of the store that a pod is a copy of. */
export const componentOf = ({ metadata }: V1Pod) => metadata?.labels?.['app.kubernetes.io/name'] ?? '';

export const isReady = ({ metadata, status }: V1Pod) =>
  !metadata?.deletionTimestamp &&
  status?.conditions?.some(({ type, status }) => type === 'Ready' && status === 'True') === true;

/** Runs a command in a pod's container, and hands back what it says. */
export async function exec(cluster: Cluster, pod: V1Pod, command: string[], container?: string): Promise<string> {
  const name = container ?? pod.spec?.containers[0]?.name ?? '';
  const out: Buffer[] = [];
  const err: Buffer[] = [];
  const into = (chunks: Buffer[]) =>
    new Writable({
      write(chunk, _, done) {
        chunks.push(chunk);
        done();
      },
    });
  const status = await new Promise<string | undefined>((resolve, reject) => {
    new Exec(cluster.config)
      .exec(cluster.namespace, nameOf(pod), name, command, into(out), into(err), null, false, (status) =>
        resolve(status.status === 'Success' ? undefined : status.message),
      )
      .then((socket) => {
        socket.onerror = (event: { message: string }) => reject(new Error(event.message));
      }, reject);
  });
  const said = Buffer.concat(err).toString();
  if (status !== undefined) throw new Error(/^\w*Error.*?: .*/m.exec(said)?.[0] ?? (said.trim() || status));
  return Buffer.concat(out).toString();
}

/** A port of this machine that leads to a port of the pod. */
export async function forward(cluster: Cluster, pod: V1Pod, port: number) {
  const forwarder = new PortForward(cluster.config);
  const server = createServer((socket) => {
    socket.on('error', () => socket.destroy());
    const ignored = new PassThrough().resume();
    forwarder
      .portForward(cluster.namespace, nameOf(pod), [port], socket, ignored, socket)
      .catch(() => socket.destroy());
  });
  server.listen(0, '127.0.0.1');
  await once(server, 'listening');
  return { url: `http://127.0.0.1:${(server.address() as AddressInfo).port}`, close: () => server.close() };
}

/** The answer of a pod's own address, whatever its status. */
export async function ask(cluster: Cluster, pod: V1Pod, port: number, path: string) {
  const { url, close } = await forward(cluster, pod, port);
  try {
    const answer = await fetch(url + path, { headers: { connection: 'close' }, signal: AbortSignal.timeout(10_000) });
    return { status: answer.status, text: await answer.text() };
  } finally {
    close();
  }
}
