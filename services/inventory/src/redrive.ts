import { randomUUID } from 'node:crypto';
import { openDatabase } from '@store/shared/database/database';
import { runDeadLetters } from '@store/shared/messaging/dead-letters/command';
import { brokersFrom } from '@store/shared/service/config';
import { configSchema } from './config.ts';
import { PrismaClient } from './generated/client.ts';
import { createProductClient } from './product-client.ts';
import { createReservationRepository } from './reservation-repository.ts';
import { createReservations } from './reservations.ts';
import { createSaga } from './saga.ts';
import { createStock } from './stock.ts';
import { createStockRepository } from './stock-repository.ts';

/** The dead letters of inventory. */
process.exitCode = await runDeadLetters(configSchema, (config) => {
  const { adapter, query, transact, close } = openDatabase(config.DATABASE_URL, 2);
  const prisma = new PrismaClient({ adapter });
  const repository = createReservationRepository(transact);
  const stock = createStock({
    repository: createStockRepository(prisma, query),
    products: createProductClient(config.PRODUCT_URL),
    initialStock: config.INITIAL_STOCK,
  });
  const shipAfterMs = config.SHIP_AFTER_SECONDS * 1_000;
  const reservations = createReservations({ repository, newId: randomUUID, clock: () => new Date(), shipAfterMs });
  return {
    consumerGroup: {
      ...createSaga(stock, reservations),
      group: 'inventory-group',
      transaction: repository.transaction,
    },
    brokers: brokersFrom(config),
    close,
  };
});
