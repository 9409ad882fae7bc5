import type { V1Secret } from '@kubernetes/client-node';
import type { Cluster } from '../api.ts';
import { isPair, kidsOf, podAnnotation, readKeys } from '../jwt-keys.ts';
import { annotatePods, nameOf, waitForRollout } from '../rollout.ts';
import { readerProblem, readsKeys } from './key-readers.ts';

/**
 * The Deployments that get keys from that Secret.
 * @param toPair whether a key pair will sign
 * @throws Error where one could not follow
 */
export async function findReaders(
  { apps, namespace }: Cluster,
  secretName: string,
  toPair: boolean,
): Promise<string[]> {
  const { items } = await apps.listNamespacedDeployment({ namespace });
  const readers = items.filter((deployment) => readsKeys(deployment, secretName));
  const problem = readers.map((deployment) => readerProblem(deployment, secretName, toPair)).find(Boolean);
  if (problem) throw new Error(problem);
  return readers.map(nameOf);
}

/** Afterwards every replica was started with the keys that the Secret holds now. */
export async function replaceReplicas(cluster: Cluster, secret: V1Secret): Promise<void> {
  const keys = readKeys(secret);
  const readers = await findReaders(cluster, nameOf(secret), [keys.signing, ...keys.previous].some(isPair));
  const kids = await kidsOf(keys);
  await Promise.all(readers.map((name) => annotatePods(cluster, name, { [podAnnotation]: kids })));
  await waitForRollout(cluster, readers, (line) => console.log(`  ${line}`));
  console.log(`  ${readers.join(', ')}: done`);
}
