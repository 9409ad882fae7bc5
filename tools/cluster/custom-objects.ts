import { CustomObjectsApi, PatchStrategy, setHeaderOptions } from '@kubernetes/client-node';
import { type Cluster, orUndefined } from './api.ts';

/** Kinds that operators define, which a cluster may not know. */
export const customKinds = {
  clusters: { group: 'postgresql.cnpg.io', version: 'v1' },
  poolers: { group: 'postgresql.cnpg.io', version: 'v1' },
  kafkas: { group: 'kafka.strimzi.io', version: 'v1' },
  kafkatopics: { group: 'kafka.strimzi.io', version: 'v1' },
  kafkausers: { group: 'kafka.strimzi.io', version: 'v1' },
  certificates: { group: 'cert-manager.io', version: 'v1' },
  scaledobjects: { group: 'keda.sh', version: 'v1alpha1' },
};

export type CustomKind = keyof typeof customKinds;

interface Condition {
  type: string;
  status: string;
  reason?: string;
  message?: string;
}

/** What is read of one; the fields of spec and status depend on its kind. */
export interface CustomObject {
  metadata: { name: string; annotations?: Record<string, string> };
  spec?: {
    instances?: number;
    scaleTargetRef?: { name: string };
    managed?: { roles?: { name: string; passwordSecret?: { name: string } }[] };
  };
  status?: {
    conditions?: Condition[];
    phase?: string;
    phaseReason?: string;
    readyInstances?: number;
    /** By role: the version of its Secret that PostgreSQL has, and what the operator could not do. */
    managedRolesStatus?: {
      passwordStatus?: Record<string, { resourceVersion?: string }>;
      cannotReconcile?: Record<string, string[]>;
    };
  };
}

export const conditionOf = ({ status }: CustomObject, type: string): Condition | undefined =>
  status?.conditions?.find((one) => one.type === type);

const placeOf = ({ namespace }: Cluster, plural: CustomKind) => ({ namespace, plural, ...customKinds[plural] });

/** None where the cluster does not know the kind. */
export async function listCustomObjects(cluster: Cluster, plural: CustomKind): Promise<CustomObject[]> {
  const api = cluster.config.makeApiClient(CustomObjectsApi);
  const list = await api.listNamespacedCustomObject(placeOf(cluster, plural)).catch(orUndefined);
  return list?.items ?? [];
}

/** @param annotations null removes one */
export async function annotateScaledObject(
  cluster: Cluster,
  name: string,
  annotations: Record<string, string | null>,
): Promise<void> {
  const api = cluster.config.makeApiClient(CustomObjectsApi);
  const given = { ...placeOf(cluster, 'scaledobjects'), name, body: { metadata: { annotations } } };
  await api.patchNamespacedCustomObject(given, setHeaderOptions('Content-Type', PatchStrategy.MergePatch));
}
