import { databaseConfig, replicaConfig } from '@store/shared/database/config';
import { configOf } from '@store/shared/service/config';
import { list } from '@store/shared/values/environment';
import { z } from 'zod';

const port = z.coerce.number<string>().int().min(1).max(65535);

export const configSchema = configOf({
  ...databaseConfig,
  ...replicaConfig,
  EXTRA_PORTS: list
    .pipe(z.array(port))
    .prefault('')
    .describe('Further ports that answer like PORT, comma-separated; 8000 in the chart'),
});

export type StatusConfig = z.output<typeof configSchema>;
