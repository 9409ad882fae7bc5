import { openDatabase } from '@store/shared/database/database';
import { createLog } from '@store/shared/observability/log';
import { createApp } from '../src/app.ts';
import { PrismaClient } from '../src/generated/client.ts';
import { createStatusRepository } from '../src/status-repository.ts';

/** The real application over a database of the test's own. */
export function testApp(databaseUrl: string, options: { production?: boolean } = {}) {
  const { adapter, close } = openDatabase(databaseUrl);
  const prisma = new PrismaClient({ adapter });
  const app = createApp({
    repository: createStatusRepository(prisma),
    log: createLog('status', 'silent'),
    production: options.production ?? false,
  });
  return { app, prisma, close };
}
