import type { V1Secret } from '@kubernetes/client-node';
import { type Cluster, isStatus, orUndefined } from '../api.ts';
import { keysProblem } from '../jwt-keys.ts';
import { nameOf } from '../rollout.ts';

/** @throws Error where it is missing, or has no valid keys */
export async function readKeySecret({ core, namespace }: Cluster, name: string): Promise<V1Secret> {
  const secret = await core.readNamespacedSecret({ name, namespace }).catch(orUndefined);
  if (!secret)
    throw new Error(`There is no Secret ${name} in namespace ${namespace}. make doctor says what is missing.`);
  const problem = keysProblem(secret);
  if (problem) throw new Error(`The Secret ${name}: ${problem}`);
  return secret;
}

/** Overwrites no concurrent change, which the resourceVersion in the Secret reveals. @returns the Secret as it is then */
export async function writeKeySecret({ core, namespace }: Cluster, secret: V1Secret): Promise<V1Secret> {
  const name = nameOf(secret);
  try {
    return await core.replaceNamespacedSecret({ name, namespace, body: secret, fieldManager: 'store-rotate-key' });
  } catch (error) {
    if (!isStatus(error, 409)) throw error;
    throw new Error(
      `Somebody else changed the Secret ${name} at the same time, perhaps another rotation. Nothing is lost; afterwards, make doctor says whether a rotation is unfinished.`,
    );
  }
}
