import type { V1Secret } from '@kubernetes/client-node';
import { type Cluster, isStatus, orUndefined } from './api.ts';
import { nameOf } from './rollout.ts';

/** @param advice what to do if the Secret is missing, a sentence */
export async function readSecret({ core, namespace }: Cluster, name: string, advice: string): Promise<V1Secret> {
  const secret = await core.readNamespacedSecret({ name, namespace }).catch(orUndefined);
  if (!secret) throw new Error(`There is no Secret ${name} in namespace ${namespace}. ${advice}`);
  return secret;
}

/** Fails on a concurrent change, which the resourceVersion in the Secret reveals. @returns the Secret as written */
export async function writeSecret({ core, namespace }: Cluster, body: V1Secret, command: string): Promise<V1Secret> {
  const name = nameOf(body);
  try {
    return await core.replaceNamespacedSecret({ name, namespace, body, fieldManager: `store-${command}` });
  } catch (error) {
    if (!isStatus(error, 409)) throw error;
    const what = `Somebody else changed the Secret ${name} at the same time, perhaps another rotation`;
    throw new Error(`${what}. Nothing is lost: repeat the command when the other change is done.`);
  }
}

export const textOf = ({ data }: V1Secret, key: string) => Buffer.from(data?.[key] ?? '', 'base64').toString();

/** Values by key; undefined removes the key. */
type Changes = Record<string, string | undefined>;

export function withTexts(secret: V1Secret, texts: Changes): V1Secret {
  const encoded = Object.entries(texts).map(([key, text]) => [key, text && Buffer.from(text).toString('base64')]);
  return { ...secret, data: changed(secret.data, Object.fromEntries(encoded)) };
}

export const withAnnotations = (secret: V1Secret, annotations: Changes): V1Secret => ({
  ...secret,
  metadata: { ...secret.metadata, annotations: changed(secret.metadata?.annotations, annotations) },
});

export const withLabels = (secret: V1Secret, labels: Changes): V1Secret => ({
  ...secret,
  metadata: { ...secret.metadata, labels: changed(secret.metadata?.labels, labels) },
});

function changed(present: Record<string, string> | undefined, changes: Changes): Record<string, string> {
  const entries = Object.entries({ ...present, ...changes });
  return Object.fromEntries(entries.filter((entry): entry is [string, string] => entry[1] !== undefined));
}
