import { atOnce, bearerConfig, commonConfig, databaseUrl, needsBearerKeys } from '@store/shared/service/config';
import { z } from 'zod';

export const configSchema = z
  .object({ ...commonConfig, ...bearerConfig, DATABASE_URL: databaseUrl })
  .superRefine(needsBearerKeys, atOnce);
