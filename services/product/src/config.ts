import { bearerConfig, calleeConfig, requireBearerKeys } from '@store/shared/auth/config';
import { databaseConfig, replicaConfig } from '@store/shared/database/config';
import { serviceConfig } from '@store/shared/service/config';
import { list, reportTogether } from '@store/shared/values/environment';
import { wholeNumber } from '@store/shared/values/fields';
import { z } from 'zod';

/** Aborts, so that the message is the union's own. */
const accountId = z.guid({ abort: true }).toLowerCase();

export const configSchema = z
  .object({
    ...serviceConfig,
    ...bearerConfig,
    ...calleeConfig,
    ...databaseConfig,
    ...replicaConfig,
    PRODUCT_WRITERS: z
      .union([z.enum(['everybody', 'role:catalogue']), list.pipe(z.array(accountId).nonempty())], {
        error: 'must be role:catalogue, account ids, comma-separated, or everybody',
      })
      .optional()
      .describe(
        'Writers of products: role:catalogue, everybody, or account ids; without it everybody, in prod role:catalogue',
      ),
    CATALOGUE_CACHE_MIB: wholeNumber(0, 1024)
      .default(16)
      .describe('Memory for replies that are kept, 0 to 1024; 0: none'),
  })
  .superRefine(requireBearerKeys, reportTogether);

export type ProductConfig = z.output<typeof configSchema>;
