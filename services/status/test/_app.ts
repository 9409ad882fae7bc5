import { openDatabase } from '@store/shared/database/database';
import { testLog } from '../../../tests/kit/observability/log.ts';
import { configSchema } from '../src/config.ts';
import { PrismaClient } from '../src/generated/client.ts';
import type { DB } from '../src/generated/tables.ts';
import { createStatusService } from '../src/service.ts';

/** The real service over a database of the test's own. */
export function testApp(databaseUrl: string, { production = false } = {}) {
  const database = openDatabase<DB>(databaseUrl);
  const prisma = new PrismaClient({ adapter: database.adapter });
  const config = configSchema.parse({ DATABASE_URL: databaseUrl, APP_PROFILE: production ? 'prod' : 'dev' });
  const { app } = createStatusService({ config, log: testLog('status'), database });
  return { app, prisma, close: database.close };
}
