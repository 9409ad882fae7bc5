import { bearerConfig, calleeConfig, requireBearerKeys } from '@store/shared/auth/config';
import { writerConfig } from '@store/shared/contracts/writers';
import { databaseConfig, replicaConfig } from '@store/shared/database/config';
import { serviceConfig } from '@store/shared/service/config';
import { reportTogether } from '@store/shared/values/environment';
import { wholeNumber } from '@store/shared/values/fields';
import { z } from 'zod';

export const configSchema = z
  .object({
    ...serviceConfig,
    ...bearerConfig,
    ...calleeConfig,
    ...databaseConfig,
    ...replicaConfig,
    ...writerConfig,
    CATALOGUE_CACHE_MIB: wholeNumber(0, 1024)
      .default(16)
      .describe('Memory for replies that are kept, 0 to 1024; 0: none'),
  })
  .superRefine(requireBearerKeys, reportTogether);

export type ProductConfig = z.output<typeof configSchema>;
