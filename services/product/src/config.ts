import { atOnce, bearerConfig, commonConfig, databaseUrl, list, needsBearerKeys } from '@store/shared/service/config';
import { uuid } from '@store/shared/values/fields';
import { z } from 'zod';

export const configSchema = z
  .object({
    ...commonConfig,
    ...bearerConfig,
    DATABASE_URL: databaseUrl,
    /** Account ids that may write products; empty: every account. */
    PRODUCT_WRITERS: list.pipe(z.array(uuid)).prefault(''),
  })
  .superRefine(needsBearerKeys, atOnce);
