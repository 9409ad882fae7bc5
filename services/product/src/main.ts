import { bearerFrom } from '@store/shared/bearer';
import { createAdapter, isDatabaseAway } from '@store/shared/database';
import { migrate } from '@store/shared/migrate';
import { runService } from '@store/shared/process';
import { createApp } from './app.ts';
import { configSchema } from './config.ts';
import { PrismaClient } from './generated/client.ts';
import { createProductStore } from './product-store.ts';

await runService('product', configSchema, async ({ config, log, onStop }) => {
  const prisma = new PrismaClient({ adapter: createAdapter(config.DATABASE_URL) });
  onStop('database', () => prisma.$disconnect());
  return {
    app: createApp({
      store: createProductStore(prisma),
      writers: config.PRODUCT_WRITERS,
      log,
      production: config.APP_PROFILE === 'prod',
      bearer: await bearerFrom(config),
    }),
    prepare: () => migrate(config.DATABASE_URL, new URL('../prisma/migrations/', import.meta.url)),
    isPassing: isDatabaseAway,
    checks: { database: () => prisma.$queryRaw`select 1` },
  };
});
