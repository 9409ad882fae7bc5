import type { V1Deployment, V1Pod, V1StatefulSet } from '@kubernetes/client-node';
import type { Cluster } from '../api.ts';
import { nameOf, selectorOf } from '../rollout.ts';
import { checkPod } from './check-pods.ts';
import { type Finding, ok, wrong } from './findings.ts';

/** Checks that all replicas are available; if not, finds what their pods say. */
export async function checkWorkload(cluster: Cluster, workload: V1Deployment | V1StatefulSet): Promise<Finding[]> {
  const { core, namespace } = cluster;
  const name = nameOf(workload);
  const path = `${'serviceName' in (workload.spec ?? {}) ? 'statefulset' : 'deployment'}/${name}`;
  const wanted = workload.spec?.replicas ?? 1;
  const available = workload.status?.availableReplicas ?? 0;
  if (wanted === 0)
    return [
      wrong(
        `${name}: scaled to 0 replicas`,
        `unless that is intended: kubectl -n ${namespace} scale --replicas=1 ${path}`,
      ),
    ];
  const labelSelector = selectorOf(workload.spec?.selector);
  const pods = (await core.listNamespacedPod({ namespace, labelSelector })).items;
  const findings = (await Promise.all(pods.map((pod) => checkPod(cluster, pod)))).flat();
  const ready = `${name}: ${available} of ${wanted} ready`;
  if (available >= wanted) return [ok(`${ready}${restarts(pods)}`), ...findings];
  if (findings.length > 0) return findings;
  const failure = workload.status?.conditions?.find(
    ({ type, status }) => type === 'ReplicaFailure' && status === 'True',
  );
  return [wrong(ready, failure?.message ?? `wait, or see kubectl -n ${namespace} describe ${path}`)];
}

function restarts(pods: V1Pod[]): string {
  const statuses = pods.flatMap(({ status }) => status?.containerStatuses ?? []);
  const count = statuses.reduce((sum, { restartCount }) => sum + restartCount, 0);
  return count === 0 ? '' : `, ${count} restarts so far`;
}
