import type { Cluster } from '../api.ts';
import { nameOf } from '../rollout.ts';
import { type Finding, ok, wrong } from './findings.ts';

export async function checkVolumes({ core, namespace }: Cluster): Promise<Finding[]> {
  const { items } = await core.listNamespacedPersistentVolumeClaim({ namespace });
  return items.map((claim) => {
    const { phase, capacity } = claim.status ?? {};
    if (phase === 'Bound') return ok(`volume ${nameOf(claim)}: ${capacity?.storage}`);
    return wrong(
      `volume ${nameOf(claim)}: ${phase}`,
      `kubectl -n ${namespace} describe pvc ${nameOf(claim)}; kubectl get storageclass shows whether there is a default`,
    );
  });
}
