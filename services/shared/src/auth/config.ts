import { z } from 'zod';
import { list, reportTogether, serviceUrl } from '../values/environment.ts';
import { privateKeyProblem, publicKeysProblem, secretProblem } from './token-keys.ts';

const checkedBy = (problemOf: (value: string) => string | undefined) =>
  z.string().superRefine((value, context) => {
    const problem = problemOf(value);
    if (problem !== undefined) context.addIssue({ code: 'custom', message: problem });
  });

const secretKey = checkedBy(secretProblem);

/** The current key signs, the previous keys only verify. A private key takes precedence over a secret (contract 3.2). */
export const tokenKeyConfig = {
  JWT_SECRET_KEY: secretKey
    .optional()
    .describe('Signing key, base64 of at least 32 bytes; this or JWT_PRIVATE_KEY is required'),
  JWT_PREVIOUS_SECRET_KEYS: list
    .pipe(z.array(secretKey))
    .prefault('')
    .describe('Secret keys that only verify, comma-separated'),
  JWT_PRIVATE_KEY: checkedBy(privateKeyProblem)
    .optional()
    .describe('Signing key, Ed25519 in PEM; signs instead of JWT_SECRET_KEY'),
  JWT_PREVIOUS_PUBLIC_KEYS: checkedBy(publicKeysProblem).default('').describe('Public keys in PEM that only verify'),
};

type TokenKeyConfig = z.output<z.ZodObject<typeof tokenKeyConfig>>;

const credential = z
  .string()
  .regex(/^[\w+/=-]{32,256}$/, 'must be 32 to 256 letters, digits or +/=_-. Make one with: openssl rand -hex 32');
const credentials = list.pipe(z.array(credential).min(1));

/** For services with internal paths. If it is unset, everybody may call them (contract 3.7). */
export const calleeConfig = {
  INTERNAL_CREDENTIALS: credentials.optional().describe('Credentials that internal paths demand, comma-separated'),
};

/** For services whose internal paths are called by operators and by other services (contract 3.7). */
export const operatorConfig = {
  OPERATOR_CREDENTIALS: credentials
    .optional()
    .describe('Credentials of operators, if INTERNAL_CREDENTIALS are for other services'),
};

/** For services that tell notification what a mail needs: addresses, shipments (contract 3.7). */
export const mailerConfig = {
  MAILER_CREDENTIALS: credentials.optional().describe('Credentials of notification, which asks for what mails need'),
};

/** For services that call internal paths: the first credential is sent, the others are for a rotation (contract 3.7). */
export const callerConfig = {
  INTERNAL_CREDENTIAL: credentials
    .transform(([first]) => first)
    .optional()
    .describe('Credential to send to internal paths'),
};

/** Demands all of a service's credentials or none: the paths of a missing credential would be open unnoticed (contract 3.7). */
export function requireAllCredentials<Schema extends z.ZodObject>(schema: Schema): Schema {
  const names = Object.keys(schema.shape).filter((name) => /_CREDENTIALS?$/.test(name));
  return schema.superRefine((config: Record<string, unknown>, context) => {
    const [given] = names.filter((name) => config[name] !== undefined);
    const missing = names.filter((name) => config[name] === undefined);
    if (given === undefined || missing.length === 0) return;
    const message = `is set, but not ${missing.join(' and ')}: set all of them, or none`;
    context.addIssue({ code: 'custom', path: [given], message });
  }, reportTogether);
}

export const bearerConfig = {
  BEARER_VALIDATION: z
    .enum(['off', 'on'])
    .default('off')
    .describe('on: the service checks the bearer token itself (docs/contract.md, 3.6)'),
  BEARER_JWKS_URL: serviceUrl.optional().describe('Key set, such as http://auth:8080/.well-known/jwks.json'),
  JWT_SECRET_KEY: secretKey
    .optional()
    .describe('Key that verifies; BEARER_VALIDATION=on needs this or BEARER_JWKS_URL'),
  JWT_PREVIOUS_SECRET_KEYS: tokenKeyConfig.JWT_PREVIOUS_SECRET_KEYS,
};

export type BearerConfig = z.output<z.ZodObject<typeof bearerConfig>>;

/** Refuses an environment that lacks keys which the schema's variables need: a signing key, or keys to verify tokens. */
export const requireKeys = <Schema extends z.ZodObject>(schema: Schema): Schema =>
  schema.superRefine((config: Partial<TokenKeyConfig & BearerConfig>, context) => {
    const { JWT_SECRET_KEY: secret, JWT_PRIVATE_KEY: pair, BEARER_VALIDATION, BEARER_JWKS_URL: address } = config;
    if ('JWT_PRIVATE_KEY' in schema.shape && (secret ?? pair) === undefined)
      context.addIssue({ code: 'custom', path: ['JWT_SECRET_KEY'], message: 'or JWT_PRIVATE_KEY must be set' });
    if (BEARER_VALIDATION === 'on' && (secret ?? address) === undefined) {
      const message = 'on needs JWT_SECRET_KEY or BEARER_JWKS_URL';
      context.addIssue({ code: 'custom', path: ['BEARER_VALIDATION'], message });
    }
  }, reportTogether);
