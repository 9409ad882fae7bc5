import { openDatabase } from '@store/shared/database/database';
import { isDatabaseUnavailable } from '@store/shared/database/errors';
import { migrate } from '@store/shared/database/migrate';
import { runService } from '@store/shared/service/run-service';
import { createApp } from './app.ts';
import { configSchema } from './config.ts';
import { PrismaClient } from './generated/client.ts';
import { createStatusRepository } from './status-repository.ts';

await runService('status', configSchema, async ({ config, log, onStop }) => {
  const { adapter, close } = openDatabase(config.DATABASE_URL);
  const prisma = new PrismaClient({ adapter });
  onStop('database', close);
  return {
    app: createApp({ repository: createStatusRepository(prisma), log, production: config.APP_PROFILE === 'prod' }),
    prepare: () => migrate(config.DATABASE_URL, new URL('../prisma/migrations/', import.meta.url)),
    isTransient: isDatabaseUnavailable,
    checks: { database: () => prisma.$queryRaw`select 1` },
    extraPorts: config.EXTRA_PORTS,
  };
});
