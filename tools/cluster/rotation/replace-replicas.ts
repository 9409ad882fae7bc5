import type { V1Secret } from '@kubernetes/client-node';
import type { Cluster } from '../api.ts';
import { kidsOf, podAnnotation, readersOf, readKeys } from '../jwt-keys.ts';
import { annotatePods, nameOf, waitForRollout } from '../rollout.ts';

/** The Deployments that get the signing key from that Secret. @throws Error where one does not get the previous keys too */
export async function findReaders({ apps, namespace }: Cluster, secretName: string): Promise<string[]> {
  const readers: string[] = [];
  for (const deployment of (await apps.listNamespacedDeployment({ namespace })).items) {
    const containers = readersOf(deployment, secretName);
    if (containers.some(({ getsPrevious }) => !getsPrevious)) {
      throw new Error(
        `${nameOf(deployment)} gets JWT_SECRET_KEY but not JWT_PREVIOUS_SECRET_KEYS, and would reject tokens of one key or the other: give it both (secrets in its values).`,
      );
    }
    if (containers.length > 0) readers.push(nameOf(deployment));
  }
  return readers;
}

/** Afterwards every replica was started with the keys that the Secret holds now. */
export async function replaceReplicas(cluster: Cluster, secret: V1Secret): Promise<void> {
  const readers = await findReaders(cluster, nameOf(secret));
  const kids = await kidsOf(readKeys(secret));
  await Promise.all(readers.map((name) => annotatePods(cluster, name, { [podAnnotation]: kids })));
  await waitForRollout(cluster, readers, (line) => console.log(`  ${line}`));
  console.log(`  ${readers.join(', ')}: done`);
}
