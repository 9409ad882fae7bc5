import { commonConfig, databaseUrl, list } from '@store/shared/service/config';
import { z } from 'zod';

const port = z.coerce.number<string>().int().min(1).max(65535);

export const configSchema = z.object({
  ...commonConfig,
  DATABASE_URL: databaseUrl,
  /** Answered like PORT; the cluster sets 8000 (decisions 1). */
  EXTRA_PORTS: list.pipe(z.array(port)).prefault(''),
});
