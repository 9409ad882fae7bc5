import { createPublicKey, generateKeyPairSync, randomBytes } from 'node:crypto';
import type { V1Secret } from '@kubernetes/client-node';
import { z } from 'zod';
import { tokenKeyConfig } from '../../services/shared/src/auth/config.ts';
import {
  importPrivateKey,
  importPublicKeys,
  importTokenKey,
  publicBlocks,
} from '../../services/shared/src/auth/token-keys.ts';
import { textOf, withAnnotations, withTexts } from './secrets.ts';

/** Variables of auth, which are also the keys of the Secret. */
export const secretName = 'JWT_SECRET_KEY';
export const previousSecretsName = 'JWT_PREVIOUS_SECRET_KEYS';
export const privateKeyName = 'JWT_PRIVATE_KEY';
export const previousPublicKeysName = 'JWT_PREVIOUS_PUBLIC_KEYS';
/** Only in the Secret: the private key that an unfinished rotation introduces. Its public half already verifies. */
const nextPrivateKeyName = 'JWT_NEXT_PRIVATE_KEY';

/** On the Secret: the kid of the key that an unfinished rotation introduces. */
export const nextAnnotation = 'store/next-jwt-key';
/** On the Secret: when the last token of each previous key expires, a JSON object by kid. */
export const expiryAnnotation = 'store/jwt-key-expiry';
/** On the pods: the kids of the keys that they started with. */
export const podAnnotation = 'store/jwt-keys';

/** Each key is a shared secret in base64, or an Ed25519 key in PEM: only the public half if the key pair no longer signs. */
export interface Keys {
  signing: string;
  /** Key pairs before secrets, the newest first. */
  previous: string[];
}

export const isPair = (key: string) => key.includes('-----BEGIN');
const isPrivate = (key: string) => key.includes('BEGIN PRIVATE KEY');

/** The form in which a key is kept after it no longer signs. */
export const retired = (key: string) =>
  isPrivate(key) ? createPublicKey(key).export({ type: 'spki', format: 'pem' }).toString().trim() : key;

/** @param secret has no `keysProblem` */
export function readKeys(secret: V1Secret): Keys {
  const text = (name: string) => textOf(secret, name).trim();
  const next = text(nextPrivateKeyName);
  const pairs = publicBlocks(text(previousPublicKeysName));
  const withNext = next === '' ? pairs : pairs.map((pair) => (pair === retired(next) ? next : pair));
  const secrets = [text(secretName), ...text(previousSecretsName).split(',')].map((key) => key.trim()).filter(Boolean);
  const signing = text(privateKeyName) || (secrets.shift() ?? '');
  return { signing, previous: [...withNext, ...secrets] };
}

/** The Secret with these keys, and with these annotations instead of the note of an unfinished rotation. */
export function withKeys(secret: V1Secret, { signing, previous }: Keys, annotations: Record<string, string>): V1Secret {
  const pairs = previous.filter(isPair);
  const [current, ...secrets] = [...(isPair(signing) ? [] : [signing]), ...previous.filter((key) => !isPair(key))];
  const pem = (key: string | undefined) => key && `${key}\n`;
  const texts = {
    [privateKeyName]: pem(isPair(signing) ? signing : undefined),
    [previousPublicKeysName]: pem(pairs.map(retired).join('\n') || undefined),
    [nextPrivateKeyName]: pem(pairs.find(isPrivate)),
    [secretName]: current,
    [previousSecretsName]: secrets.join(','),
  };
  return withAnnotations(withTexts(secret, texts), { [nextAnnotation]: undefined, ...annotations });
}

const keysSchema = z.object({ ...tokenKeyConfig, [nextPrivateKeyName]: tokenKeyConfig.JWT_PRIVATE_KEY });

/** Returns the first fault of the keys in a Secret, as auth finds it at its start, without revealing a key. */
export function keysProblem(secret: V1Secret): string | undefined {
  const texts = Object.keys(keysSchema.shape).map((name) => [name, textOf(secret, name).trim()]);
  const keys: Record<string, string> = Object.fromEntries(texts.filter(([, text]) => text !== ''));
  if (!keys[secretName] && !keys[privateKeyName])
    return `${privateKeyName} and ${secretName} are missing. Make one with: openssl genpkey -algorithm ed25519, or openssl rand -base64 32`;
  const [issue] = keysSchema.safeParse(keys).error?.issues ?? [];
  if (issue === undefined) return undefined;
  const [name, index] = issue.path;
  return `${String(name)}${index === undefined ? '' : `, number ${Number(index) + 1}:`} ${issue.message}`;
}

export const newSecret = () => randomBytes(32).toString('base64');

export const newPair = () =>
  generateKeyPairSync('ed25519').privateKey.export({ type: 'pkcs8', format: 'pem' }).toString().trim();

/** The digest of a key, which is in the header of every token. */
export async function kidOf(key: string): Promise<string> {
  if (isPrivate(key)) return (await importPrivateKey(key)).kid;
  const [pair] = await importPublicKeys(key);
  return (pair ?? (await importTokenKey(key))).kid;
}

export const kidsOf = async ({ signing, previous }: Keys) =>
  (await Promise.all([signing, ...previous].map(kidOf))).join(' ');
