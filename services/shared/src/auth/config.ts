import { z } from 'zod';
import { list, serviceUrl } from '../values/environment.ts';
import { secretProblem } from './token-keys.ts';

const secretKey = z.string().superRefine((value, context) => {
  const problem = secretProblem(value);
  if (problem !== undefined) context.addIssue({ code: 'custom', message: problem });
});

/** The current key signs, the previous ones still verify (contract 3.2). */
export const tokenKeyConfig = {
  JWT_SECRET_KEY: secretKey,
  JWT_PREVIOUS_SECRET_KEYS: list.pipe(z.array(secretKey)).prefault(''),
};

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
