import { bearerFrom } from '@store/shared/auth/bearer';
import { openDatabase } from '@store/shared/database/database';
import { isDatabaseUnavailable } from '@store/shared/database/errors';
import { migrate } from '@store/shared/database/migrate';
import { runService } from '@store/shared/service/run-service';
import { createApp } from './app.ts';
import { configSchema } from './config.ts';
import { PrismaClient } from './generated/client.ts';
import { createOrderRepository } from './order-repository.ts';
import { createProductClient } from './product-client.ts';

await runService('order', configSchema, async ({ config, log, onStop }) => {
  const { adapter, query, close } = openDatabase(config.DATABASE_URL);
  const prisma = new PrismaClient({ adapter });
  onStop('database', close);
  return {
    app: createApp({
      repository: createOrderRepository(prisma, query),
      products: createProductClient(config.PRODUCT_URL),
      currency: config.STORE_CURRENCY,
      log,
      production: config.APP_PROFILE === 'prod',
      bearer: await bearerFrom(config),
    }),
    prepare: () => migrate(config.DATABASE_URL, new URL('../prisma/migrations/', import.meta.url)),
    isTransient: isDatabaseUnavailable,
    checks: { database: () => prisma.$queryRaw`select 1` },
  };
});
