import type { V1Container, V1Deployment, V1EnvVar, V1SecretProjection } from '@kubernetes/client-node';
import { PatchStrategy, setHeaderOptions } from '@kubernetes/client-node';
import pMap from 'p-map';
import pWaitFor from 'p-wait-for';
import type { Cluster } from './api.ts';

export const nameOf = ({ metadata }: { metadata?: { name?: string } }) => metadata?.name ?? '';

/** Selects the components of a release, or one. By instance alone it would also select Strimzi's pods of a Kafka "store". */
export const componentsOf = (release: string, name?: string) =>
  `app.kubernetes.io/part-of=store,app.kubernetes.io/instance=${release}${name ? `,app.kubernetes.io/name=${name}` : ''}`;

export const deploymentsOf = async ({ apps, namespace, release }: Cluster, component?: string) =>
  (await apps.listNamespacedDeployment({ namespace, labelSelector: componentsOf(release, component) })).items;

/** The Secrets that its pods mount as files. */
export const mountedSecretsOf = ({ spec }: V1Deployment): V1SecretProjection[] =>
  (spec?.template.spec?.volumes ?? []).flatMap(
    ({ projected }) => projected?.sources?.flatMap(({ secret }) => secret ?? []) ?? [],
  );

/** Its containers. Variables that the chart mounts as files (`<name>_FILE`) appear as if they came directly from the Secret. */
export const containersOf = (deployment: V1Deployment): V1Container[] => {
  const { containers = [] } = deployment.spec?.template.spec ?? {};
  const sources = mountedSecretsOf(deployment);
  const variableOfFile = ({ name: file, value = '' }: V1EnvVar): V1EnvVar[] => {
    const name = file.replace(/_FILE$/, '');
    return sources.flatMap(({ name: secret, items = [], optional }) =>
      items
        .filter(({ path }) => name !== file && value.endsWith(`/${path}`))
        .map(({ key }) => ({ name, valueFrom: { secretKeyRef: { name: secret, key, optional } } })),
    );
  };
  return containers.map((one) => ({ ...one, env: [...(one.env ?? []), ...(one.env ?? []).flatMap(variableOfFile)] }));
};

export const variablesOf = (deployment: V1Deployment): V1EnvVar[] =>
  containersOf(deployment).flatMap(({ env = [] }) => env);

export const variableOf = (deployment: V1Deployment, variable: string): V1EnvVar | undefined =>
  variablesOf(deployment).find(({ name }) => name === variable);

export const selectorOf = (selector: NonNullable<V1Deployment['spec']>['selector'] | undefined) =>
  Object.entries(selector?.matchLabels ?? {})
    .map(([key, value]) => `${key}=${value}`)
    .join(',');

const merged = setHeaderOptions('Content-Type', PatchStrategy.StrategicMergePatch);

export const patchDeployment = ({ apps, namespace }: Cluster, name: string, body: object) =>
  apps.patchNamespacedDeployment({ name, namespace, body }, merged);

/** Starting processes take what the others need to answer in time: a node with few cores cannot start all services at once. */
const deploymentsAtOnce = 2;

/** Sets annotations of Deployments' pods, which replaces the pods one by one, and waits. The same annotations change nothing. */
export async function annotatePods(cluster: Cluster, names: string[], annotations: object, say?: Say): Promise<void> {
  const body = { spec: { template: { metadata: { annotations } } } };
  const replace = async (name: string) => {
    await patchDeployment(cluster, name, body);
    await waitForRollout(cluster, [name], say);
  };
  await pMap(names, replace, { concurrency: deploymentsAtOnce });
}

const rolloutSeconds = 600;

type Say = (line: string) => void;
const indented: Say = (line) => console.log(`  ${line}`);

/** Waits until all replicas are new and ready, and the old ones are gone, because a terminating replica answers for a while. */
export async function waitForRollout(cluster: Cluster, names: string[], say: Say = indented): Promise<void> {
  await Promise.all(
    names.map((name) => {
      let missing: string | undefined;
      const fallback = () => {
        throw new Error(`The rollout takes longer than ${rolloutSeconds} s: ${missing}. make doctor says why.`);
      };
      return pWaitFor(
        async () => {
          const before = missing;
          missing = await missingOf(cluster, name);
          if (missing !== undefined && missing !== before) say(missing);
          return missing === undefined;
        },
        { interval: 1_000, timeout: { milliseconds: rolloutSeconds * 1000, fallback } },
      );
    }),
  );
}

async function missingOf({ apps, core, namespace }: Cluster, name: string): Promise<string | undefined> {
  const { metadata, spec, status } = await apps.readNamespacedDeployment({ name, namespace });
  if (spec?.paused) return `${name}: the rollout is paused; kubectl -n ${namespace} rollout resume deployment/${name}`;
  const wanted = spec?.replicas ?? 1;
  if ((status?.observedGeneration ?? 0) < (metadata?.generation ?? 0)) return `${name}: starting`;
  const ready = Math.min(status?.updatedReplicas ?? 0, status?.availableReplicas ?? 0);
  if (ready < wanted) return `${name}: ${ready} of ${wanted} new replicas ready`;
  const pods = await core.listNamespacedPod({ namespace, labelSelector: selectorOf(spec?.selector) });
  const alive = pods.items.filter(({ status }) => status?.phase === 'Running' || status?.phase === 'Pending');
  const old = alive.length - wanted;
  return old > 0 ? `${name}: ${wanted} of ${wanted} new replicas ready, ${old} old still terminating` : undefined;
}
