import { bearerFrom } from '@store/shared/bearer';
import { createAdapter, isDatabaseAway } from '@store/shared/database';
import { migrate } from '@store/shared/migrate';
import { runService } from '@store/shared/process';
import { createApp } from './app.ts';
import { configSchema } from './config.ts';
import { PrismaClient } from './generated/client.ts';
import { createOrderStore } from './order-store.ts';
import { createProductClient } from './product-client.ts';

await runService('order', configSchema, async ({ config, log, onStop }) => {
  const prisma = new PrismaClient({ adapter: createAdapter(config.DATABASE_URL) });
  onStop('database', () => prisma.$disconnect());
  return {
    app: createApp({
      store: createOrderStore(prisma),
      products: createProductClient(config.PRODUCT_URL),
      currency: config.STORE_CURRENCY,
      log,
      production: config.APP_PROFILE === 'prod',
      bearer: await bearerFrom(config),
    }),
    prepare: () => migrate(config.DATABASE_URL, new URL('../prisma/migrations/', import.meta.url)),
    isPassing: isDatabaseAway,
    checks: { database: () => prisma.$queryRaw`select 1` },
  };
});
