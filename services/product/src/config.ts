import { bearerConfig, calleeConfig } from '@store/shared/auth/config';
import { writerConfig } from '@store/shared/contracts/writers';
import { databaseConfig, replicaConfig } from '@store/shared/database/config';
import { configOf } from '@store/shared/service/config';
import { wholeNumber } from '@store/shared/values/fields';
import type { z } from 'zod';

export const configSchema = configOf({
  ...bearerConfig,
  ...calleeConfig,
  ...databaseConfig,
  ...replicaConfig,
  ...writerConfig,
  CATALOGUE_CACHE_MIB: wholeNumber(0, 1024)
    .default(16)
    .describe('Memory of the reply cache in MiB, 0 to 1024; 0 disables it'),
});

export type ProductConfig = z.output<typeof configSchema>;
