import { randomBytes } from 'node:crypto';
import type { V1Container, V1Deployment, V1Secret } from '@kubernetes/client-node';
import { importTokenKey, secretProblem } from '../../services/shared/src/auth/token-keys.ts';

/** Variables of auth, which are also the keys of the Secret. */
export const signingName = 'JWT_SECRET_KEY';
export const previousName = 'JWT_PREVIOUS_SECRET_KEYS';

/** On the Secret: the kid of the key that an unfinished rotation introduces. */
export const nextAnnotation = 'store/next-jwt-key';
/** On the Secret: when the last token of each previous key has expired, a JSON object by kid. */
export const expiryAnnotation = 'store/jwt-key-expiry';
/** On a Secret that version 0.1.0 rotated: since when the present key has signed. */
export const sinceAnnotation = 'store/jwt-key-since';
/** On the pods: the kids of the keys that they were started with. */
export const podAnnotation = 'store/jwt-keys';

export interface Keys {
  signing: string;
  previous: string[];
}

export function readKeys(secret: V1Secret): Keys {
  const text = (name: string) => Buffer.from(secret.data?.[name] ?? '', 'base64').toString();
  const previous = text(previousName).split(',');
  return { signing: text(signingName).trim(), previous: previous.map((key) => key.trim()).filter(Boolean) };
}

/** The Secret with other keys, and with these annotations in place of the note of an unfinished rotation. */
export function withKeys(secret: V1Secret, { signing, previous }: Keys, annotations: Record<string, string>): V1Secret {
  const base64 = (text: string) => Buffer.from(text).toString('base64');
  const { [nextAnnotation]: _, ...kept } = secret.metadata?.annotations ?? {};
  return {
    ...secret,
    metadata: { ...secret.metadata, annotations: { ...kept, ...annotations } },
    data: { ...secret.data, [signingName]: base64(signing), [previousName]: base64(previous.join(',')) },
  };
}

/** What is wrong with the keys of a Secret, without revealing any. */
export function keysProblem({ signing, previous }: Keys): string | undefined {
  if (signing === '') return `${signingName} is missing. Generate one with: openssl rand -base64 32`;
  const problem = secretProblem(signing);
  if (problem !== undefined) return `${signingName} ${problem}`;
  const at = previous.findIndex((key) => secretProblem(key) !== undefined);
  return at < 0 ? undefined : `${previousName}, number ${at + 1}: ${secretProblem(previous[at] ?? '')}`;
}

export const newKey = () => randomBytes(32).toString('base64');

/** The digest of a key that stands in the header of every token. */
export const kidOf = async (key: string) => (await importTokenKey(key)).kid;

export const kidsOf = async ({ signing, previous }: Keys) =>
  (await Promise.all([signing, ...previous].map(kidOf))).join(' ');

/** The containers that get the signing key from that Secret, and whether they get the previous keys too. */
export function readersOf(deployment: V1Deployment, secretName: string) {
  const containers = deployment.spec?.template.spec?.containers ?? [];
  return containers
    .filter((container) => gets(container, secretName, signingName))
    .map((container) => ({ container, getsPrevious: gets(container, secretName, previousName) }));
}

const gets = ({ env = [], envFrom = [] }: V1Container, secretName: string, key: string) =>
  env.some(({ valueFrom }) => valueFrom?.secretKeyRef?.name === secretName && valueFrom.secretKeyRef.key === key) ||
  envFrom.some(({ secretRef }) => secretRef?.name === secretName);

/** The Secret that auth gets its key from. */
export const secretNameOf = (auth: V1Deployment) =>
  auth.spec?.template.spec?.containers.flatMap(({ env }) => env ?? []).find(({ name }) => name === signingName)
    ?.valueFrom?.secretKeyRef?.name;
