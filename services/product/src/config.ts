import { bearerConfig, requireBearerKeys } from '@store/shared/auth/config';
import { databaseConfig } from '@store/shared/database/config';
import { serviceConfig } from '@store/shared/service/config';
import { list, reportTogether } from '@store/shared/values/environment';
import { uuid } from '@store/shared/values/fields';
import { z } from 'zod';

export const configSchema = z
  .object({
    ...serviceConfig,
    ...bearerConfig,
    ...databaseConfig,
    /** Account ids that may write products; empty: every account. */
    PRODUCT_WRITERS: list.pipe(z.array(uuid)).prefault(''),
  })
  .superRefine(requireBearerKeys, reportTogether);

export type ProductConfig = z.output<typeof configSchema>;
