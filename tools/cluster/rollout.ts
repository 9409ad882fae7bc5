import { PatchStrategy, setHeaderOptions, type V1Deployment } from '@kubernetes/client-node';
import { type Cluster, waitUntil } from './api.ts';

export const nameOf = ({ metadata }: { metadata?: { name?: string } }) => metadata?.name ?? '';

/** Strimzi gives the pods of its Kafka "store" the same instance, but not the same whole. */
export const componentsOf = (release: string) =>
  `app.kubernetes.io/part-of=store,app.kubernetes.io/instance=${release}`;

/** Sets annotations of the pods, which replaces them one by one, as kubectl rollout restart does; the same again changes nothing. */
export async function annotatePods(
  { apps, namespace }: Cluster,
  name: string,
  annotations: Record<string, string>,
): Promise<void> {
  await apps.patchNamespacedDeployment(
    { name, namespace, body: { spec: { template: { metadata: { annotations } } } } },
    setHeaderOptions('Content-Type', PatchStrategy.StrategicMergePatch),
  );
}

/** Waits until all copies are there anew, and the old ones are gone: one that ends still answers for a while. */
export async function waitForRollout(
  cluster: Cluster,
  names: string[],
  say: (line: string) => void = console.log,
  seconds = 600,
): Promise<void> {
  await Promise.all(names.map((name) => waitUntil(seconds, () => missingOf(cluster, name), say)));
}

async function missingOf({ apps, core, namespace }: Cluster, name: string): Promise<string | undefined> {
  const { metadata, spec, status } = await apps.readNamespacedDeployment({ name, namespace });
  if (spec?.paused) return `${name}: its roll-out is paused; kubectl -n ${namespace} rollout resume deployment/${name}`;
  const wanted = spec?.replicas ?? 1;
  if ((status?.observedGeneration ?? 0) < (metadata?.generation ?? 0)) return `${name}: is about to start`;
  const ready = Math.min(status?.updatedReplicas ?? 0, status?.availableReplicas ?? 0);
  if (ready < wanted) return `${name}: ${ready} of ${wanted} new copies ready`;
  const pods = await core.listNamespacedPod({ namespace, labelSelector: selectorOf(spec?.selector) });
  const alive = pods.items.filter(({ status }) => status?.phase === 'Running' || status?.phase === 'Pending');
  const old = alive.length - wanted;
  return old > 0 ? `${name}: ${wanted} of ${wanted} new copies ready, ${old} old still ending` : undefined;
}

export const selectorOf = (selector: NonNullable<V1Deployment['spec']>['selector'] | undefined) =>
  Object.entries(selector?.matchLabels ?? {})
    .map(([key, value]) => `${key}=${value}`)
    .join(',');
