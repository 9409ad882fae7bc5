import { openDatabase } from '@store/shared/database/database';
import { isDatabaseUnavailable } from '@store/shared/database/errors';
import { migrate } from '@store/shared/database/migrate';
import { createHttpApp } from '@store/shared/http/app';
import { everyHour } from '@store/shared/messaging/consumer/processed-events';
import { startEventWork } from '@store/shared/messaging/start';
import { runService } from '@store/shared/service/run-service';
import { workerConfigSchema } from './config.ts';
import { PrismaClient } from './generated/client.ts';
import { createOrderRepository } from './order-repository.ts';
import { createSaga } from './saga.ts';
import { createSagaRepository } from './saga-repository.ts';

/**
 * What the order service does without being asked: publish its outbox, take its steps of the saga, forget old
 * Idempotency-Keys.
 */
await runService('order-worker', workerConfigSchema, async (context) => {
  const { config, log, onStop } = context;
  const { adapter, query, transact, close } = openDatabase(config.DATABASE_URL, 8);
  const prisma = new PrismaClient({ adapter });
  onStop('database', close);
  const orders = createOrderRepository(prisma, query);

  return {
    app: createHttpApp({ title: 'Order worker', routes: [], log, production: true }),
    async prepare() {
      await migrate(config.DATABASE_URL, new URL('../prisma/migrations/', import.meta.url));
      onStop(
        'idempotency keys',
        everyHour('Forgetting old Idempotency-Keys', () => orders.deleteExpiredReplies(new Date()), log),
      );
      startEventWork(context, {
        clientId: 'order',
        hasOutbox: true,
        database: prisma,
        group: 'order-group',
        handlers: createSaga(() => new Date()),
        transaction: createSagaRepository(transact).transaction,
        chunkSize: 100,
      });
    },
    isTransient: isDatabaseUnavailable,
    checks: { database: () => prisma.$queryRaw`select 1` },
  };
});
