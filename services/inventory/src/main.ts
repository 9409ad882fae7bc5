import { randomUUID } from 'node:crypto';
import { retryOptions } from '@store/shared/config';
import { startConsumer } from '@store/shared/consume';
import { createAdapter, isDatabaseAway } from '@store/shared/database';
import { orderEventsTopic } from '@store/shared/events';
import { createKafka, createPublisher } from '@store/shared/kafka';
import { migrate } from '@store/shared/migrate';
import { startRelay } from '@store/shared/outbox';
import { runService } from '@store/shared/process';
import { everyHour, forgetProcessed } from '@store/shared/processed-events';
import { createApp } from './app.ts';
import { configSchema } from './config.ts';
import { PrismaClient } from './generated/client.ts';
import { createProductClient } from './product-client.ts';
import { createReservationStore } from './reservation-store.ts';
import { createReservations } from './reservations.ts';
import { createSaga } from './saga.ts';
import { startShipper } from './shipper.ts';
import { createStock } from './stock.ts';
import { createStockStore } from './stock-store.ts';

await runService('inventory', configSchema, async ({ config, log, onStop }) => {
  const prisma = new PrismaClient({ adapter: createAdapter(config.DATABASE_URL) });
  onStop('database', () => prisma.$disconnect());
  const kafkaOptions = { brokers: config.KAFKA_BROKERS, clientId: 'inventory', log };
  const publisher = createPublisher(kafkaOptions);
  onStop('publisher', () => publisher.close());

  const store = createReservationStore(prisma);
  const stock = createStock({
    store: createStockStore(prisma),
    products: createProductClient(config.PRODUCT_URL),
    initialStock: config.INITIAL_STOCK,
  });
  const reservations = createReservations({
    store,
    newId: randomUUID,
    clock: () => new Date(),
    shipAfterMs: config.SHIP_AFTER_SECONDS * 1_000,
  });

  /** What is started last is stopped first. */
  function startWork() {
    const relay = startRelay({ databaseUrl: config.DATABASE_URL, topic: orderEventsTopic, publisher, log });
    onStop('relay', () => relay.stop());
    onStop(
      'housekeeping',
      everyHour('Forgetting old event ids', () => forgetProcessed(prisma), log),
    );
    const shipper = startShipper({ shipDue: reservations.shipDue, log });
    onStop('shipper', () => shipper.stop());
    const consumer = startConsumer({
      ...createSaga(stock, reservations),
      kafka: createKafka(kafkaOptions),
      topic: orderEventsTopic,
      group: 'inventory-group',
      sender: publisher,
      log,
      retry: retryOptions(config),
      transaction: store.transaction,
      chunkSize: 1, // different orders lock the same stock
      onCrash(error) {
        log.fatal({ err: error }, 'The consumer has given up');
        process.exit(1);
      },
    });
    onStop('consumer', () => consumer.stop());
  }

  return {
    app: createApp({ stock, log, production: config.APP_PROFILE === 'prod' }),
    async prepare() {
      await migrate(config.DATABASE_URL, new URL('../prisma/migrations/', import.meta.url));
      startWork();
    },
    isPassing: isDatabaseAway,
    checks: { database: () => prisma.$queryRaw`select 1` },
  };
});
