import { z } from 'zod';
import { list, reportTogether, serviceUrl } from '../values/environment.ts';
import { privateKeyProblem, publicKeysProblem, secretProblem } from './token-keys.ts';

const checkedBy = (problemOf: (value: string) => string | undefined) =>
  z.string().superRefine((value, context) => {
    const problem = problemOf(value);
    if (problem !== undefined) context.addIssue({ code: 'custom', message: problem });
  });

const secretKey = checkedBy(secretProblem);

/**
 * The current key signs, the previous ones still verify; a private key signs before a secret (contract 3.2). Goes with
 * `.superRefine(requireTokenKey, reportTogether)`.
 */
export const tokenKeyConfig = {
  JWT_SECRET_KEY: secretKey.optional(),
  JWT_PREVIOUS_SECRET_KEYS: list.pipe(z.array(secretKey)).prefault(''),
  JWT_PRIVATE_KEY: checkedBy(privateKeyProblem).optional(),
  JWT_PREVIOUS_PUBLIC_KEYS: checkedBy(publicKeysProblem).default(''),
};

export type TokenKeyConfig = z.output<z.ZodObject<typeof tokenKeyConfig>>;

export function requireTokenKey(config: TokenKeyConfig, context: z.core.$RefinementCtx): void {
  if ((config.JWT_SECRET_KEY ?? config.JWT_PRIVATE_KEY) !== undefined) return;
  context.addIssue({ code: 'custom', path: ['JWT_SECRET_KEY'], message: 'or JWT_PRIVATE_KEY must be set' });
}

/** 32 to 256 characters of hexadecimal, base64 or base64url. */
const credential = z
  .string()
  .regex(/^[\w+/=-]{32,256}$/, 'must be 32 to 256 letters, digits or +/=_-. Make one with: openssl rand -hex 32');
const credentials = list.pipe(z.array(credential).min(1));

/** For services with internal paths: the credentials of their callers. Unset: everybody may call (contract 3.7). */
export const calleeConfig = { INTERNAL_CREDENTIALS: credentials.optional() };

/** For services whose internal paths others call, too: those of operators (contract 3.7). */
export const operatorConfig = { OPERATOR_CREDENTIALS: credentials.optional() };

/** For the service that mail is asked from: the credentials of whoever sends it (contract 3.7). */
export const mailerConfig = { MAILER_CREDENTIALS: credentials.optional() };

/** For services that call internal paths: the first one is shown, the others are of a rotation (contract 3.7). */
export const callerConfig = { INTERNAL_CREDENTIAL: credentials.transform(([first]) => first).optional() };

const credentialVariables = [
  'INTERNAL_CREDENTIAL',
  'INTERNAL_CREDENTIALS',
  'OPERATOR_CREDENTIALS',
  'MAILER_CREDENTIALS',
];

/**
 * Refuses a part of the credentials that a service takes: the others' paths would be open without a word (contract 3.7). Goes with
 * `.apply` behind the object that has them.
 */
export function requireAllCredentials<Schema extends z.ZodObject>(schema: Schema): Schema {
  const names = credentialVariables.filter((name) => name in schema.shape);
  return schema.superRefine((config: Record<string, unknown>, context) => {
    const [given] = names.filter((name) => config[name] !== undefined);
    const missing = names.filter((name) => config[name] === undefined);
    if (given === undefined || missing.length === 0) return;
    const message = `is set, but not ${missing.join(' and ')}: set all of them, or none`;
    context.addIssue({ code: 'custom', path: [given], message });
  }, reportTogether);
}

/** For services with routes that need an identity; goes with `.superRefine(requireBearerKeys, reportTogether)`. */
export const bearerConfig = {
  BEARER_VALIDATION: z.enum(['off', 'on']).default('off'),
  BEARER_JWKS_URL: serviceUrl.optional(),
  JWT_SECRET_KEY: secretKey.optional(),
  JWT_PREVIOUS_SECRET_KEYS: tokenKeyConfig.JWT_PREVIOUS_SECRET_KEYS,
};

export type BearerConfig = z.output<z.ZodObject<typeof bearerConfig>>;

export function requireBearerKeys(config: BearerConfig, context: z.core.$RefinementCtx): void {
  if (config.BEARER_VALIDATION !== 'on' || (config.BEARER_JWKS_URL ?? config.JWT_SECRET_KEY) !== undefined) return;
  context.addIssue({
    code: 'custom',
    path: ['BEARER_VALIDATION'],
    message: 'on needs JWT_SECRET_KEY or BEARER_JWKS_URL',
  });
}
