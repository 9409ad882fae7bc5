import type { V1Container, V1Deployment, V1EnvVar, V1Secret } from '@kubernetes/client-node';
import type { Cluster } from '../api.ts';
import {
  isPair,
  kidsOf,
  podAnnotation,
  previousPublicKeysName,
  previousSecretsName,
  privateKeyName,
  readKeys,
  secretName,
} from '../jwt-keys.ts';
import { annotatePods, containersOf, nameOf } from '../rollout.ts';

/**
 * The Deployments that get keys from a Secret.
 * @param toPair whether a key pair will sign
 * @throws Error if a Deployment could not follow the rotation
 */
export async function findReaders({ apps, namespace }: Cluster, secret: string, toPair: boolean): Promise<string[]> {
  const { items } = await apps.listNamespacedDeployment({ namespace });
  const reads = (one: V1Container) => gets(one, secret, secretName) || gets(one, secret, privateKeyName);
  const readers = items.filter((deployment) => containersOf(deployment).some(reads));
  const problem = readers.map((deployment) => readerProblem(deployment, secret, toPair)).find(Boolean);
  if (problem) throw new Error(problem);
  return readers.map(nameOf);
}

/** Replaces all replicas, so that each has started with the keys that the Secret holds now. */
export async function replaceReplicas(cluster: Cluster, secret: V1Secret): Promise<void> {
  const keys = readKeys(secret);
  const readers = await findReaders(cluster, nameOf(secret), [keys.signing, ...keys.previous].some(isPair));
  const kids = await kidsOf(keys);
  await annotatePods(cluster, readers, { [podAnnotation]: kids });
  console.log(`  ${readers.join(', ')}: done`);
}

/** Why a rotation would make a Deployment reject tokens or keep it from starting, as a sentence. */
function readerProblem(deployment: V1Deployment, secret: string, toPair: boolean): string | undefined {
  const name = nameOf(deployment);
  for (const container of containersOf(deployment)) {
    const has = (variable: string) => gets(container, secret, variable);
    if (has(secretName) && !has(previousSecretsName))
      return `${name} gets ${secretName} but not ${previousSecretsName}, and would reject tokens of either the old or the new key: give it both (secrets in its values).`;
    if (!toPair || !has(secretName)) continue;
    const isIssuer = has(privateKeyName) && has(previousPublicKeysName);
    if (!isIssuer && !variable(container, 'BEARER_JWKS_URL')?.value)
      return `${name} checks tokens only by ${secretName}, and would reject those of a key pair: give it BEARER_JWKS_URL (env in its values).`;
    if (isIssuer && !variable(container, secretName)?.valueFrom?.secretKeyRef?.optional)
      return `${name} does not start without ${secretName}, which a key pair replaces: set global.jwt.existingSecret to ${secret}.`;
  }
  return undefined;
}

export const secretNameOf = (auth: V1Deployment) =>
  containersOf(auth)
    .map((container) => (variable(container, privateKeyName) ?? variable(container, secretName))?.valueFrom)
    .find(Boolean)?.secretKeyRef?.name;

const variable = ({ env = [] }: V1Container, name: string): V1EnvVar | undefined =>
  env.find((one) => one.name === name);

function gets(container: V1Container, secret: string, key: string): boolean {
  const { env = [], envFrom = [] } = container;
  return (
    env.some(({ valueFrom }) => valueFrom?.secretKeyRef?.name === secret && valueFrom.secretKeyRef.key === key) ||
    envFrom.some(({ secretRef }) => secretRef?.name === secret)
  );
}
