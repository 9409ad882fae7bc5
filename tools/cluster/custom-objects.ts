import { CustomObjectsApi, PatchStrategy, setHeaderOptions } from '@kubernetes/client-node';
import { type Cluster, orUndefined } from './api.ts';

/** Kinds that operators define. A cluster may not have them. */
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

/** The fields that are read. Those of spec and status depend on the kind. */
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
    /** By role: the version of its Secret that PostgreSQL has, and errors of the operator. */
    managedRolesStatus?: {
      passwordStatus?: Record<string, { resourceVersion?: string }>;
      cannotReconcile?: Record<string, string[]>;
    };
  };
}

export const conditionOf = ({ status }: CustomObject, type: string): Condition | undefined =>
  status?.conditions?.find((one) => one.type === type);

const placeOf = ({ namespace }: Cluster, plural: CustomKind) => ({ namespace, plural, ...customKinds[plural] });

/** Returns an empty list if the cluster does not know the kind. */
export async function listCustomObjects(cluster: Cluster, plural: CustomKind): Promise<CustomObject[]> {
  const api = cluster.config.makeApiClient(CustomObjectsApi);
  const list = await api.listNamespacedCustomObject(placeOf(cluster, plural)).catch(orUndefined);
  return list?.items ?? [];
}

/** @param annotations null removes an annotation */
export async function annotateScaledObject(
  cluster: Cluster,
  name: string,
  annotations: Record<string, string | null>,
): Promise<void> {
  const api = cluster.config.makeApiClient(CustomObjectsApi);
  const given = { ...placeOf(cluster, 'scaledobjects'), name, body: { metadata: { annotations } } };
  await api.patchNamespacedCustomObject(given, setHeaderOptions('Content-Type', PatchStrategy.MergePatch));
}
