import { retryOptions } from '@store/shared/config';
import { startConsumer } from '@store/shared/consume';
import { isDatabaseAway, openDatabase } from '@store/shared/database';
import { orderEventsTopic } from '@store/shared/events';
import { createHttpApp } from '@store/shared/http-server';
import { createKafka, createPublisher } from '@store/shared/kafka';
import { migrate } from '@store/shared/migrate';
import { startRelay } from '@store/shared/outbox';
import { runService } from '@store/shared/process';
import { everyHour, forgetProcessed } from '@store/shared/processed-events';
import { workerConfigSchema } from './config.ts';
import { PrismaClient } from './generated/client.ts';
import { createOrderStore } from './order-store.ts';
import { createSaga } from './saga.ts';
import { createSagaStore } from './saga-store.ts';

/**
 * What the order service does without being asked: publish its outbox, take its steps of the saga, forget old
 * Idempotency-Keys.
 */
await runService('order-worker', workerConfigSchema, async ({ config, log, onStop }) => {
  const { adapter, query, close } = openDatabase(config.DATABASE_URL, 8);
  const prisma = new PrismaClient({ adapter });
  onStop('database', close);
  const broker = { brokers: config.KAFKA_BROKERS, clientId: 'order', log };
  const publisher = createPublisher(broker);
  onStop('publisher', () => publisher.close());

  const orders = createOrderStore(prisma, query);
  const housekeeping = {
    'Forgetting old Idempotency-Keys': () => orders.forgetReplies(new Date()),
    'Forgetting old event ids': () => forgetProcessed(prisma),
  };

  return {
    app: createHttpApp({ title: 'Order worker', routes: [], log, production: true }),
    async prepare() {
      await migrate(config.DATABASE_URL, new URL('../prisma/migrations/', import.meta.url));
      const relay = startRelay({ databaseUrl: config.DATABASE_URL, topic: orderEventsTopic, publisher, log });
      onStop('relay', () => relay.stop());
      for (const [what, work] of Object.entries(housekeeping)) onStop(what, everyHour(what, work, log));
      const consumer = startConsumer({
        group: 'order-group',
        topic: orderEventsTopic,
        handlers: createSaga(() => new Date()),
        transaction: createSagaStore(prisma).transaction,
        kafka: createKafka(broker),
        sender: publisher,
        retry: retryOptions(config),
        chunkSize: 100,
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
