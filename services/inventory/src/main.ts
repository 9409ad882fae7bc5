import { randomUUID } from 'node:crypto';
import { openDatabase } from '@store/shared/database/database';
import { isDatabaseUnavailable } from '@store/shared/database/errors';
import { migrate } from '@store/shared/database/migrate';
import { startEventWork } from '@store/shared/messaging/start';
import { runService } from '@store/shared/service/run-service';
import { createApp } from './app.ts';
import { configSchema } from './config.ts';
import { PrismaClient } from './generated/client.ts';
import { createProductClient } from './product-client.ts';
import { createReservationRepository } from './reservation-repository.ts';
import { createReservations } from './reservations.ts';
import { createSaga } from './saga.ts';
import { startShipper } from './shipper.ts';
import { createStock } from './stock.ts';
import { createStockRepository } from './stock-repository.ts';

await runService('inventory', configSchema, async (context) => {
  const { config, log, onStop } = context;
  const { adapter, query, transact, close } = openDatabase(config.DATABASE_URL);
  const prisma = new PrismaClient({ adapter });
  onStop('database', close);
  const repository = createReservationRepository(transact);
  const stock = createStock({
    repository: createStockRepository(prisma, query),
    products: createProductClient(config.PRODUCT_URL),
    initialStock: config.INITIAL_STOCK,
  });
  const reservations = createReservations({
    repository,
    newId: randomUUID,
    clock: () => new Date(),
    shipAfterMs: config.SHIP_AFTER_SECONDS * 1_000,
  });

  return {
    app: createApp({ stock, log, production: config.APP_PROFILE === 'prod' }),
    async prepare() {
      await migrate(config.DATABASE_URL, new URL('../prisma/migrations/', import.meta.url));
      const shipper = startShipper({ shipDue: reservations.shipDue, log });
      onStop('shipper', shipper.stop);
      startEventWork(context, {
        ...createSaga(stock, reservations),
        clientId: 'inventory',
        hasOutbox: true,
        database: prisma,
        group: 'inventory-group',
        transaction: repository.transaction,
        chunkSize: 1, // different orders lock the same stock
      });
    },
    isTransient: isDatabaseUnavailable,
    checks: { database: () => prisma.$queryRaw`select 1` },
  };
});
