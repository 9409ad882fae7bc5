import { commonConfig, flag, seconds, serviceUrl, tokenKeyConfig } from '@store/shared/service/config';
import { z } from 'zod';

export const configSchema = z
  .object({
    ...commonConfig,
    ...tokenKeyConfig,
    /** Life of a token and of its cookie. */
    JWT_TTL_SECONDS: seconds(60, 31_536_000).default(86_400),
    JWT_HTTP_ONLY: flag.default(true),
    COOKIE_SAME_SITE: z.enum(['Lax', 'Strict', 'None']).default('Lax'),
    COOKIE_SECURE: flag.default(false),
    ACCOUNT_URL: serviceUrl,
  })
  .refine((config) => config.COOKIE_SAME_SITE !== 'None' || config.COOKIE_SECURE, {
    path: ['COOKIE_SAME_SITE'],
    message: 'None needs COOKIE_SECURE=true: browsers drop such a cookie otherwise',
  });
