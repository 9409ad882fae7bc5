import type { V1Deployment, V1Secret } from '@kubernetes/client-node';
import type { Cluster } from '../api.ts';
import {
  isPair,
  keysProblem,
  kidOf,
  newPair,
  newSecret,
  nextAnnotation,
  readKeys,
  retired,
  withKeys,
} from '../jwt-keys.ts';
import { deploymentsOf, nameOf, variableOf } from '../rollout.ts';
import { readSecret, writeSecret } from '../secrets.ts';
import { expiryOfAll, noteExpiries } from './expiry.ts';
import { findReaders, replaceReplicas, secretNameOf } from './key-readers.ts';

export type Options = Partial<Record<'dropPrevious' | 'now' | 'keyPair', boolean>>;
type Rotation = Options & { ttlSeconds: number };

/** Implements make rotate-key. @throws Error as a sentence, if it refuses */
export async function rotateKey(cluster: Cluster, options: Options): Promise<void> {
  const auth = await findAuth(cluster);
  const name = secretNameOf(auth);
  if (!name) throw new Error('auth does not get its keys from a Secret');
  const ttlSeconds = Number(variableOf(auth, 'JWT_TTL_SECONDS')?.value || 86_400);
  const found = await read(cluster, name);
  const keyPair = options.keyPair || isPair(readKeys(found).signing);
  await findReaders(cluster, name, keyPair); // before anything is changed
  // Written at once, so that a later refusal names the same time.
  const secret = await write(cluster, await noteExpiries(found, ttlSeconds));
  const rotation = { ...options, keyPair, ttlSeconds };
  if (options.dropPrevious) await dropPrevious(cluster, secret, rotation);
  else await rotate(cluster, secret, rotation);
}

async function findAuth(cluster: Cluster): Promise<V1Deployment> {
  const [auth] = await deploymentsOf(cluster, 'auth');
  if (auth) return auth;
  throw new Error(`There is no release ${cluster.release} in namespace ${cluster.namespace}: make deploy`);
}

/** @throws Error if the Secret is missing or has no valid keys */
async function read(cluster: Cluster, name: string): Promise<V1Secret> {
  const secret = await readSecret(cluster, name, 'make doctor says what is missing.');
  const problem = keysProblem(secret);
  if (problem) throw new Error(`The Secret ${name}: ${problem}`);
  return secret;
}

const write = (cluster: Cluster, secret: V1Secret) => writeSecret(cluster, secret, 'rotate-key');

/**
 * Makes a new key sign. While replicas of auth are replaced, old and new replicas serve side by side, so every replica must know
 * the new key before the first one signs with it:
 * 1. The new key joins the previous keys, which verify, and the Secret notes its kid; all replicas are replaced.
 * 2. The new key signs, and the old key joins the previous keys; all replicas are replaced again.
 * The Secret and the pods record the progress, so that the next call resumes an interrupted rotation.
 */
async function rotate(cluster: Cluster, found: V1Secret, options: Rotation): Promise<void> {
  let secret = found;
  const next = secret.metadata?.annotations?.[nextAnnotation];
  if (next === undefined) {
    const keys = readKeys(secret);
    const key = options.keyPair ? newPair() : newSecret();
    const kid = await kidOf(key);
    const introduced = withKeys(secret, { ...keys, previous: [key, ...keys.previous] }, { [nextAnnotation]: kid });
    secret = await write(cluster, introduced);
    console.log(`1 of 2: the new key ${kid} verifies`);
  } else {
    console.log(`Resuming the interrupted rotation to key ${next}`);
  }
  secret = await promote(cluster, secret, options);
  await replaceReplicas(cluster, secret);
  const keys = readKeys(secret);
  const [old = ''] = keys.previous;
  // Replicas signed with the old key until now. Without the note of the new key's kid the rotation is finished.
  const finished = withKeys(await noteExpiries(secret, options.ttlSeconds, old), keys, {});
  secret = await write(cluster, finished);
  const expiry = await expiryOfAll(secret, options.ttlSeconds, [old]);
  console.log(`Done. The old key still verifies; its last token expires by ${expiry?.toISOString()}.`);
  console.log('From then on it can be dropped: make rotate-key ARGS=--drop-previous');
}

/** Does step 2, unless it is done. Drops previous keys whose last token has expired. */
async function promote(cluster: Cluster, secret: V1Secret, options: Rotation): Promise<V1Secret> {
  const { signing, previous } = readKeys(secret);
  const next = secret.metadata?.annotations?.[nextAnnotation] ?? '';
  if ((await kidOf(signing)) === next) return secret;
  const kids = await Promise.all(previous.map(kidOf));
  const key = previous[kids.indexOf(next)];
  if (key === undefined) {
    const name = nameOf(secret);
    const remedy = `kubectl -n ${cluster.namespace} annotate secret ${name} ${nextAnnotation}-`;
    const what = `The Secret ${name} notes ${next} as the next key, but does not contain it`;
    throw new Error(`${what}. Remove the note and start again: ${remedy}`);
  }
  await replaceReplicas(cluster, secret);
  const older = previous.filter((one) => one !== key);
  const expiries = await Promise.all(older.map((one) => expiryOfAll(secret, options.ttlSeconds, [one])));
  const kept = [retired(signing), ...older.filter((_, index) => expiries[index] !== undefined)];
  const promoted = withKeys(secret, { signing: key, previous: kept }, { [nextAnnotation]: next });
  const written = await write(cluster, promoted);
  console.log(
    `2 of 2: the new key signs; ${kept.length} previous ${kept.length === 1 ? 'key still verifies' : 'keys still verify'}`,
  );
  return written;
}

async function dropPrevious(cluster: Cluster, secret: V1Secret, { ttlSeconds, now }: Rotation): Promise<void> {
  if (secret.metadata?.annotations?.[nextAnnotation] !== undefined)
    throw new Error('A rotation was interrupted: finish it first, with make rotate-key');
  const keys = readKeys(secret);
  const expiry = await expiryOfAll(secret, ttlSeconds, keys.previous);
  const what = `Until ${expiry?.toISOString()} tokens of a previous key may be valid, and their customers would be logged out`;
  if (expiry && !now) throw new Error(`${what}. To do so anyway: --drop-previous --now`);
  await replaceReplicas(cluster, await write(cluster, withKeys(secret, { ...keys, previous: [] }, {})));
  console.log('The previous keys are dropped.');
}
