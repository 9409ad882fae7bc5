import {
  bearerConfig,
  calleeConfig,
  operatorConfig,
  requireAllCredentials,
  requireBearerKeys,
} from '@store/shared/auth/config';
import { databaseConfig } from '@store/shared/database/config';
import { serviceConfig } from '@store/shared/service/config';
import { reportTogether } from '@store/shared/values/environment';
import { wholeNumber } from '@store/shared/values/fields';
import { z } from 'zod';

export const configSchema = z
  .object({
    ...serviceConfig,
    ...bearerConfig,
    ...calleeConfig,
    ...operatorConfig,
    ...databaseConfig,
    /** Fewest characters of a new password; default: 1, and 8 in production (contract 3.5). */
    PASSWORD_MIN_LENGTH: wholeNumber(1, 128).optional(),
  })
  .apply(requireAllCredentials)
  .superRefine(requireBearerKeys, reportTogether);

export type AccountConfig = z.output<typeof configSchema>;
