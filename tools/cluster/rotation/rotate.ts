import type { V1Secret } from '@kubernetes/client-node';
import type { Cluster } from '../api.ts';
import { type Keys, kidOf, newKey, nextAnnotation, readKeys, sinceAnnotation, withKeys } from '../jwt-keys.ts';
import { nameOf } from '../rollout.ts';
import { previousKeyExpiry, writeKeySecret } from './key-secret.ts';
import { replaceReplicas } from './replace-replicas.ts';

/**
 * Makes a new key sign. While replicas of auth are replaced, old and new ones serve side by side, so every replica must know
 * the new key before the first one signs with it:
 * 1. The new key joins the previous ones, which verify, and the Secret notes its kid; all replicas are replaced.
 * 2. It signs, and the old key joins the previous ones; all replicas are replaced again.
 * The Secret and the pods show how far a rotation has come, so that the next call resumes an interrupted one.
 * @param keep how many previous keys still verify afterwards
 */
export async function rotate(cluster: Cluster, found: V1Secret, keep: number, ttlSeconds: number): Promise<void> {
  let secret = found;
  const next = secret.metadata?.annotations?.[nextAnnotation];
  if (next === undefined) {
    const keys = readKeys(secret);
    const key = newKey();
    const kid = await kidOf(key);
    const introduced = withKeys(secret, { ...keys, previous: [key, ...keys.previous] }, { [nextAnnotation]: kid });
    secret = await writeKeySecret(cluster, introduced);
    console.log(`1 of 2: the new key ${kid} verifies`);
  } else {
    console.log(`Resuming the interrupted rotation to key ${next}`);
  }
  secret = await promote(cluster, secret, keep);
  await replaceReplicas(cluster, secret);
  await writeKeySecret(cluster, withKeys(secret, readKeys(secret), {})); // removes the note
  const expiry = previousKeyExpiry(secret, ttlSeconds).toISOString();
  console.log(`Done. The old key still verifies; its last token expires by ${expiry}.`);
  console.log('From then on it can be dropped: make rotate-key ARGS=--drop-previous');
}

/** Step 2, unless it is done. */
async function promote(cluster: Cluster, secret: V1Secret, keep: number): Promise<V1Secret> {
  const { signing, previous }: Keys = readKeys(secret);
  const next = secret.metadata?.annotations?.[nextAnnotation] ?? '';
  if ((await kidOf(signing)) === next) return secret;
  const kids = await Promise.all(previous.map(kidOf));
  const key = previous[kids.indexOf(next)];
  if (key === undefined) {
    const name = nameOf(secret);
    throw new Error(
      `The Secret ${name} notes ${next} as the next key, but does not contain it. Remove the note and start again: kubectl -n ${cluster.namespace} annotate secret ${name} ${nextAnnotation}-`,
    );
  }
  await replaceReplicas(cluster, secret);
  const older = previous.filter((one) => one !== key);
  const kept = [signing, ...older].slice(0, keep);
  const annotations = { [nextAnnotation]: next, [sinceAnnotation]: new Date().toISOString() };
  const promoted = withKeys(secret, { signing: key, previous: kept }, annotations);
  const written = await writeKeySecret(cluster, promoted);
  const dropped = older.length + 1 - kept.length;
  const verify = kept.length === 1 ? '1 previous key verifies' : `${kept.length} previous keys verify`;
  console.log(`2 of 2: it signs; ${verify}${dropped > 0 ? `, ${dropped} older dropped` : ''}`);
  return written;
}
