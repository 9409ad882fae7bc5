import { bearerConfig, calleeConfig, requireBearerKeys } from '@store/shared/auth/config';
import { databaseConfig } from '@store/shared/database/config';
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
    /** Role, ids of accounts, or everybody, that may write products; default: everybody, and in production the role (contract 4.4). */
    PRODUCT_WRITERS: z
      .union([z.enum(['everybody', 'role:catalogue']), list.pipe(z.array(accountId).nonempty())], {
        error: 'must be role:catalogue, account ids, comma-separated, or everybody',
      })
      .optional(),
    /** Memory for replies that are kept (contract 4.4); 0: none. */
    CATALOGUE_CACHE_MIB: wholeNumber(0, 1024).default(16),
  })
  .superRefine(requireBearerKeys, reportTogether);

export type ProductConfig = z.output<typeof configSchema>;
