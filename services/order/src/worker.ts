import { createAdapter, isDatabaseAway } from '@store/shared/database';
import { orderEventsTopic } from '@store/shared/events';
import { createHttpApp } from '@store/shared/http-server';
import { createPublisher } from '@store/shared/kafka';
import { migrate } from '@store/shared/migrate';
import { startRelay } from '@store/shared/outbox';
import { runService } from '@store/shared/process';
import { workerConfigSchema } from './config.ts';
import { PrismaClient } from './generated/client.ts';
import { createOrderStore } from './order-store.ts';

const hourMs = 60 * 60 * 1000;

/** What the order service does without being asked: publish its outbox, forget old Idempotency-Keys. */
await runService('order-worker', workerConfigSchema, async ({ config, log, onStop }) => {
  const prisma = new PrismaClient({ adapter: createAdapter(config.DATABASE_URL, 2) });
  onStop('database', () => prisma.$disconnect());
  const publisher = createPublisher({ brokers: config.KAFKA_BROKERS, clientId: 'order', log });
  onStop('publisher', () => publisher.close());

  const store = createOrderStore(prisma);
  const forgetReplies = () =>
    store
      .forgetReplies(new Date())
      .catch((error: unknown) => log.warn({ err: error }, 'Old Idempotency-Keys are forgotten later'));

  return {
    app: createHttpApp({ title: 'Order worker', routes: [], log, production: true }),
    async prepare() {
      await migrate(config.DATABASE_URL, new URL('../prisma/migrations/', import.meta.url));
      const relay = startRelay({ databaseUrl: config.DATABASE_URL, topic: orderEventsTopic, publisher, log });
      onStop('relay', () => relay.stop());
      forgetReplies();
      const timer = setInterval(forgetReplies, hourMs);
      onStop('housekeeping', () => clearInterval(timer));
    },
    isPassing: isDatabaseAway,
    checks: { database: () => prisma.$queryRaw`select 1` },
  };
});
