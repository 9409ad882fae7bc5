import {
  bearerConfig,
  calleeConfig,
  mailerConfig,
  operatorConfig,
  requireAllCredentials,
  requireBearerKeys,
} from '@store/shared/auth/config';
import { databaseConfig } from '@store/shared/database/config';
import { messagingConfig } from '@store/shared/messaging/config';
import { serviceConfig } from '@store/shared/service/config';
import { reportTogether, serviceUrl } from '@store/shared/values/environment';
import { wholeNumber } from '@store/shared/values/fields';
import { z } from 'zod';

export const configSchema = z
  .object({
    ...serviceConfig,
    ...bearerConfig,
    ...calleeConfig,
    ...operatorConfig,
    ...mailerConfig,
    ...databaseConfig,
    ...messagingConfig,
    AUTH_URL: serviceUrl,
    /** required: orders are refused until the customer has used the link of the mail that follows a registration. */
    EMAIL_CONFIRMATION: z.enum(['off', 'required']).default('off'),
    /** Fewest characters of a new password; default: 1, and 8 in production (contract 3.5). */
    PASSWORD_MIN_LENGTH: wholeNumber(1, 128).optional(),
  })
  .apply(requireAllCredentials)
  .superRefine(requireBearerKeys, reportTogether);

export type AccountConfig = z.output<typeof configSchema>;
