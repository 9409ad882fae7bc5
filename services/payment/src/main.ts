import { randomUUID } from 'node:crypto';
import { retryOptions } from '@store/shared/config';
import { startConsumer } from '@store/shared/consume';
import { createAdapter, isDatabaseAway } from '@store/shared/database';
import { orderEventsTopic } from '@store/shared/events';
import { createHttpApp } from '@store/shared/http-server';
import { createKafka, createPublisher } from '@store/shared/kafka';
import { migrate } from '@store/shared/migrate';
import { startRelay } from '@store/shared/outbox';
import { runService } from '@store/shared/process';
import { everyHour, forgetProcessed } from '@store/shared/processed-events';
import { createBuiltInProvider } from './built-in-provider.ts';
import { configSchema } from './config.ts';
import { PrismaClient } from './generated/client.ts';
import { createPaymentStore } from './payment-store.ts';
import { createPayments } from './payments.ts';

await runService('payment', configSchema, async ({ config, log, onStop }) => {
  const prisma = new PrismaClient({ adapter: createAdapter(config.DATABASE_URL) });
  onStop('database', () => prisma.$disconnect());
  const broker = { brokers: config.KAFKA_BROKERS, clientId: 'payment', log };
  const publisher = createPublisher(broker);
  onStop('publisher', () => publisher.close());

  const store = createPaymentStore(prisma);
  const payments = createPayments({
    store,
    provider: createBuiltInProvider(config.PAYMENT_DECLINE_ABOVE),
    clock: () => new Date(),
    newId: randomUUID,
  });

  return {
    app: createHttpApp({ title: 'Payment', routes: [], log, production: config.APP_PROFILE === 'prod' }),
    async prepare() {
      await migrate(config.DATABASE_URL, new URL('../prisma/migrations/', import.meta.url));
      const relay = startRelay({ databaseUrl: config.DATABASE_URL, topic: orderEventsTopic, publisher, log });
      onStop('relay', () => relay.stop());
      onStop(
        'housekeeping',
        everyHour('Forgetting old event ids', () => forgetProcessed(prisma), log),
      );
      const consumer = startConsumer({
        ...payments,
        group: 'payment-group',
        topic: orderEventsTopic,
        kafka: createKafka(broker),
        sender: publisher,
        transaction: store.transaction,
        retry: retryOptions(config),
        // A cancellation must be stored before the order's next event is prepared.
        chunkSize: 1,
        log,
        onCrash(error) {
          log.fatal({ err: error }, 'The consumer has given up');
          process.exit(1);
        },
      });
      onStop('consumer', () => consumer.stop());
    },
    isPassing: isDatabaseAway,
    checks: { database: () => prisma.$queryRaw`select 1` },
  };
});
