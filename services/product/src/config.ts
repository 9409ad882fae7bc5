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
    /** The ids of the accounts that may write products, or everybody (contract 4.4). */
    PRODUCT_WRITERS: z
      .union([z.literal('everybody'), list.pipe(z.array(accountId).nonempty())], {
        error: 'must be account ids, comma-separated, or everybody',
      })
      .default('everybody'),
    /** Memory for replies that are kept (contract 4.4); 0: none. */
    CATALOGUE_CACHE_MIB: wholeNumber(0, 1024).default(16),
  })
  .superRefine(requireBearerKeys, reportTogether);

export type ProductConfig = z.output<typeof configSchema>;
