import type { V1Secret } from '@kubernetes/client-node';
import { clockSkewSeconds } from '../../../services/shared/src/auth/verified-tokens.ts';
import { expiryAnnotation, kidOf, nextAnnotation, readKeys } from '../jwt-keys.ts';
import { withAnnotations } from '../secrets.ts';

/** By kid of a previous key: when its last token expires, according to the Secret, in ms. */
function noted(secret: V1Secret): Map<string, number> {
  const text = secret.metadata?.annotations?.[expiryAnnotation] ?? '{}';
  return new Map(Object.entries<string>(JSON.parse(text)).map(([kid, date]) => [kid, Date.parse(date)]));
}

/**
 * The Secret with the expiry of each previous key noted. A key without a note, because version 0.1.0 rotated it or somebody wrote
 * it, may have signed until now. The key that an unfinished rotation introduces has signed nothing yet.
 * @param retired the key that signed until now
 */
export async function noteExpiries(secret: V1Secret, ttlSeconds: number, retired?: string): Promise<V1Secret> {
  const next = secret.metadata?.annotations?.[nextAnnotation];
  const before = noted(secret);
  const expiries: Record<string, string> = {};
  for (const key of readKeys(secret).previous) {
    const kid = await kidOf(key);
    if (kid === next) continue;
    const known = key === retired ? undefined : before.get(kid);
    expiries[kid] = new Date(known ?? Date.now() + (ttlSeconds + clockSkewSeconds) * 1000).toISOString();
  }
  const text = Object.keys(expiries).length === 0 ? undefined : JSON.stringify(expiries);
  return withAnnotations(secret, { [expiryAnnotation]: text });
}

/** When the last token of these previous keys expires; undefined if all have expired. */
export async function expiryOfAll(secret: V1Secret, ttlSeconds: number, keys: string[]): Promise<Date | undefined> {
  const expiries = noted(await noteExpiries(secret, ttlSeconds));
  const kids = await Promise.all(keys.map(kidOf));
  const latest = Math.max(...kids.map((kid) => expiries.get(kid) ?? 0));
  return latest > Date.now() ? new Date(latest) : undefined;
}
