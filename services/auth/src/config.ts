import {
  calleeConfig,
  callerConfig,
  mailerConfig,
  operatorConfig,
  requireAllCredentials,
  tokenKeyConfig,
} from '@store/shared/auth/config';
import { writerConfig } from '@store/shared/contracts/writers';
import { databaseConfig } from '@store/shared/database/config';
import { configOf } from '@store/shared/service/config';
import { flag, serviceUrl } from '@store/shared/values/environment';
import { wholeNumber } from '@store/shared/values/fields';
import { z } from 'zod';

export const configSchema = configOf({
  ...tokenKeyConfig,
  ...callerConfig,
  ...calleeConfig,
  ...operatorConfig,
  ...mailerConfig,
  ...databaseConfig,
  ...writerConfig,
  JWT_TTL_SECONDS: wholeNumber(60, 31_536_000)
    .default(86_400)
    .describe('Lifetime of a token and its cookie in seconds, 60 to 31,536,000'),
  JWT_HTTP_ONLY: flag.default(true).describe('HttpOnly of the token cookie'),
  COOKIE_SAME_SITE: z.enum(['Lax', 'Strict', 'None']).default('Lax').describe('SameSite: Lax, Strict or None'),
  COOKIE_SECURE: z
    .union([flag, z.literal('auto')])
    .default('auto')
    .describe("Secure: true, false, or auto, which follows the gateway's X-Forwarded-Proto"),
  ACCOUNT_URL: serviceUrl.describe('Address of account'),
})
  .apply(requireAllCredentials)
  .refine((config) => config.COOKIE_SAME_SITE !== 'None' || config.COOKIE_SECURE === true, {
    path: ['COOKIE_SAME_SITE'],
    message: 'None needs COOKIE_SECURE=true: browsers drop the cookie otherwise',
  });

export type AuthConfig = z.output<typeof configSchema>;
