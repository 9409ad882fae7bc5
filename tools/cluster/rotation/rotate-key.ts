import { isDeepStrictEqual } from 'node:util';
import type { V1Deployment } from '@kubernetes/client-node';
import type { Cluster } from '../api.ts';
import { isPair, readKeys } from '../jwt-keys.ts';
import { componentsOf, variablesOf } from '../rollout.ts';
import { dropPrevious } from './drop-previous.ts';
import { noteExpiries } from './expiry.ts';
import { secretNameOf } from './key-readers.ts';
import { readKeySecret, writeKeySecret } from './key-secret.ts';
import { findReaders } from './replace-replicas.ts';
import { rotate } from './rotate.ts';

export interface Options {
  secret?: string;
  keep: number;
  dropPrevious?: boolean;
  now?: boolean;
  keyPair?: boolean;
}

/** Does the work of make rotate-key. @throws Error as a sentence, where it refuses */
export async function rotateKey(cluster: Cluster, options: Options): Promise<void> {
  const auth = await findAuth(cluster);
  const name = options.secret ?? secretNameOf(auth);
  if (!name) throw new Error('auth does not get its keys from a Secret: name the Secret with --secret');
  const ttlSeconds = Number(variablesOf(auth).find(({ name }) => name === 'JWT_TTL_SECONDS')?.value || 86_400);
  const found = await readKeySecret(cluster, name);
  const keyPair = options.keyPair || isPair(readKeys(found).signing);
  await findReaders(cluster, name, keyPair); // before anything is changed
  const noted = await noteExpiries(found, ttlSeconds);
  // Written at once, so that a refusal names the same time tomorrow.
  const secret = isDeepStrictEqual(noted, found) ? found : await writeKeySecret(cluster, noted);
  const { keep, now = false } = options;
  if (options.dropPrevious) await dropPrevious(cluster, secret, ttlSeconds, now);
  else await rotate(cluster, secret, { keep, ttlSeconds, now, keyPair });
}

async function findAuth({ apps, namespace, release }: Cluster): Promise<V1Deployment> {
  const labelSelector = `${componentsOf(release)},app.kubernetes.io/name=auth`;
  const [auth] = (await apps.listNamespacedDeployment({ namespace, labelSelector })).items;
  if (!auth) throw new Error(`There is no release ${release} in namespace ${namespace}: make deploy`);
  return auth;
}
