import { bearerConfig, calleeConfig, operatorConfig, requireBearerKeys } from '@store/shared/auth/config';
import { databaseConfig } from '@store/shared/database/config';
import { serviceConfig } from '@store/shared/service/config';
import { reportTogether } from '@store/shared/values/environment';
import { z } from 'zod';

export const configSchema = z
  .object({ ...serviceConfig, ...bearerConfig, ...calleeConfig, ...operatorConfig, ...databaseConfig })
  .superRefine(requireBearerKeys, reportTogether);

export type AccountConfig = z.output<typeof configSchema>;
