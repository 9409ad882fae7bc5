import type { V1Secret } from '@kubernetes/client-node';
import type { Cluster } from '../api.ts';
import { nextAnnotation, readKeys, withKeys } from '../jwt-keys.ts';
import { expiryOfAll } from './expiry.ts';
import { writeKeySecret } from './key-secret.ts';
import { replaceReplicas } from './replace-replicas.ts';

/** Removes the previous keys. @param now even while tokens of theirs may be valid */
export async function dropPrevious(cluster: Cluster, secret: V1Secret, ttlSeconds: number, now: boolean) {
  if (secret.metadata?.annotations?.[nextAnnotation] !== undefined)
    throw new Error('A rotation was interrupted: finish it first, with make rotate-key');
  const keys = readKeys(secret);
  const expiry = await expiryOfAll(secret, ttlSeconds, keys.previous);
  if (expiry !== undefined && !now) {
    throw new Error(
      `Until ${expiry.toISOString()} tokens of a previous key may be alive, and their customers would be logged out. To do so anyway: --drop-previous --now`,
    );
  }
  const hasNone = keys.previous.length === 0;
  const written = hasNone ? secret : await writeKeySecret(cluster, withKeys(secret, { ...keys, previous: [] }, {}));
  await replaceReplicas(cluster, written);
  console.log('The previous keys are dropped.');
}
