import { randomBytes } from 'node:crypto';
import type { V1Container, V1Deployment, V1Secret } from '@kubernetes/client-node';
import { importTokenKey, secretProblem } from '../../services/shared/src/auth/token-keys.ts';

/** The variables of auth, which are the Secret's keys too. */
export const signingName = 'JWT_SECRET_KEY';
export const previousName = 'JWT_PREVIOUS_SECRET_KEYS';

/** On the Secret: the kid of the key that a rotation under way brings in, and when the present one began to sign. */
export const nextAnnotation = 'store/next-jwt-key';
export const sinceAnnotation = 'store/jwt-key-since';
/** On the pods: the kids of the keys that they were started with. */
export const podAnnotation = 'store/jwt-keys';

export interface Keys {
  signing: string;
  previous: string[];
}

export function readKeys(secret: V1Secret): Keys {
  const text = (name: string) => Buffer.from(secret.data?.[name] ?? '', 'base64').toString();
  return { signing: text(signingName).trim(), previous: listed(text(previousName)) };
}

const listed = (text: string) =>
  text
    .split(',')
    .map((key) => key.trim())
    .filter(Boolean);

export function withKeys(secret: V1Secret, { signing, previous }: Keys, annotations: Record<string, string>): V1Secret {
  const base64 = (text: string) => Buffer.from(text).toString('base64');
  const { [nextAnnotation]: _, ...kept } = secret.metadata?.annotations ?? {};
  return {
    ...secret,
    metadata: { ...secret.metadata, annotations: { ...kept, ...annotations } },
    data: { ...secret.data, [signingName]: base64(signing), [previousName]: base64(previous.join(',')) },
  };
}

/** What is wrong with the keys of a Secret, without telling any. */
export function keysProblem({ signing, previous }: Keys): string | undefined {
  if (signing === '') return `${signingName} is missing. Make one with: openssl rand -base64 32`;
  const wrong = secretProblem(signing);
  if (wrong !== undefined) return `${signingName} ${wrong}`;
  const at = previous.findIndex((key) => secretProblem(key) !== undefined);
  return at < 0 ? undefined : `${previousName}, number ${at + 1}: ${secretProblem(previous[at] ?? '')}`;
}

export const newKey = () => randomBytes(32).toString('base64');

/** A digest, which stands in the header of every token. */
export const kidOf = async (key: string) => (await importTokenKey(key)).kid;

export const kidsOf = async ({ signing, previous }: Keys) =>
  (await Promise.all([signing, ...previous].map(kidOf))).join(' ');

/** The containers that are given the signing key of that Secret, and whether the previous ones too. */
export function readersOf(deployment: V1Deployment, secretName: string) {
  const containers = deployment.spec?.template.spec?.containers ?? [];
  return containers
    .filter((container) => takes(container, secretName, signingName))
    .map((container) => ({ container, takesPrevious: takes(container, secretName, previousName) }));
}

const takes = ({ env = [], envFrom = [] }: V1Container, secretName: string, key: string) =>
  env.some(({ valueFrom }) => valueFrom?.secretKeyRef?.name === secretName && valueFrom.secretKeyRef.key === key) ||
  envFrom.some(({ secretRef }) => secretRef?.name === secretName);

/** The Secret that auth is given its key from. */
export const secretNameOf = (auth: V1Deployment) =>
  auth.spec?.template.spec?.containers.flatMap(({ env }) => env ?? []).find(({ name }) => name === signingName)
    ?.valueFrom?.secretKeyRef?.name;
