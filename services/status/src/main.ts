import { openDatabase } from '@store/shared/database/database';
import { isDatabaseAway } from '@store/shared/database/errors';
import { migrate } from '@store/shared/database/migrate';
import { runService } from '@store/shared/service/run-service';
import { createApp } from './app.ts';
import { configSchema } from './config.ts';
import { PrismaClient } from './generated/client.ts';
import { createStatusStore } from './status-repository.ts';

await runService('status', configSchema, async ({ config, log, onStop }) => {
  const { adapter, close } = openDatabase(config.DATABASE_URL);
  const prisma = new PrismaClient({ adapter });
  onStop('database', close);
  return {
    app: createApp({ store: createStatusStore(prisma), log, production: config.APP_PROFILE === 'prod' }),
    prepare: () => migrate(config.DATABASE_URL, new URL('../prisma/migrations/', import.meta.url)),
    isPassing: isDatabaseAway,
    checks: { database: () => prisma.$queryRaw`select 1` },
    extraPorts: config.EXTRA_PORTS,
  };
});
