import type { Cluster } from '../api.ts';
import { type Finding, ok, wrong } from './findings.ts';

/** The state of the release. Helm keeps each revision in a Secret, its number and status in labels. */
export async function checkRelease({ core, namespace, release }: Cluster): Promise<Finding> {
  const labelSelector = `owner=helm,name=${release}`;
  const { items } = await core.listNamespacedSecret({ namespace, labelSelector });
  const [newest] = items
    .map(({ metadata }) => ({ revision: Number(metadata?.labels?.version), status: metadata?.labels?.status }))
    .sort((a, b) => b.revision - a.revision);
  if (!newest) throw new Error(`There is no release ${release} in namespace ${namespace}: make deploy`);
  const { revision, status } = newest;
  if (status === 'deployed') return ok(`release ${release} in namespace ${namespace}, revision ${revision}`);
  return wrong(
    `release ${release}, revision ${revision}: ${status}`,
    status?.startsWith('pending')
      ? 'an upgrade is running or was interrupted: in the latter case helm rollback, then make deploy'
      : 'make deploy',
  );
}
