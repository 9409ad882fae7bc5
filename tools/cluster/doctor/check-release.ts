import { type Cluster, isStatus } from '../api.ts';
import { nameOf } from '../rollout.ts';
import { type Finding, notChecked, ok, wrong } from './findings.ts';

/** Checks the state of the release. Helm keeps each revision in a Secret, with its number and status as labels. */
export async function checkRelease({ core, namespace, release }: Cluster): Promise<Finding> {
  const labelSelector = `owner=helm,name=${release}`;
  const found = await core.listNamespacedSecret({ namespace, labelSelector }).catch((error) => {
    if (isStatus(error, 403)) return undefined;
    throw error;
  });
  const helm = `helm -n ${namespace} status ${release}`;
  // The right to list Secrets would include reading all of them.
  if (!found)
    return notChecked(
      `release ${release}: not checked, since this command may not list Secrets; ${helm} shows its state`,
    );
  const [newest] = found.items
    .map(({ metadata }) => ({ revision: Number(metadata?.labels?.version), status: metadata?.labels?.status }))
    .sort((a, b) => b.revision - a.revision);
  if (!newest) throw new Error(`There is no release ${release} in namespace ${namespace}: make deploy`);
  const { revision, status } = newest;
  if (status === 'deployed') return ok(`release ${release} in namespace ${namespace}, revision ${revision}`);
  const pending =
    'an upgrade is running or was interrupted: if it was interrupted, run helm rollback, then make deploy';
  const remedy = status?.startsWith('pending') ? pending : 'make deploy';
  return wrong(`release ${release}, revision ${revision}: ${status}`, remedy);
}

export async function checkVolumes({ core, namespace }: Cluster): Promise<Finding[]> {
  const { items } = await core.listNamespacedPersistentVolumeClaim({ namespace });
  return items.map((claim) => {
    const { phase, capacity } = claim.status ?? {};
    const name = nameOf(claim);
    if (phase === 'Bound') return ok(`volume ${name}: ${capacity?.storage}`);
    const describe = `kubectl -n ${namespace} describe pvc ${name}`;
    return wrong(`volume ${name}: ${phase}`, `${describe}; kubectl get storageclass shows whether there is a default`);
  });
}
