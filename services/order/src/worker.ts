import { openDatabase } from '@store/shared/database';
import { isDatabaseAway } from '@store/shared/database-errors';
import { startEventWork } from '@store/shared/event-work';
import { createHttpApp } from '@store/shared/http-server';
import { migrate } from '@store/shared/migrate';
import { runService } from '@store/shared/process';
import { everyHour } from '@store/shared/processed-events';
import { workerConfigSchema } from './config.ts';
import { PrismaClient } from './generated/client.ts';
import { createOrderStore } from './order-store.ts';
import { createSaga } from './saga.ts';
import { createSagaStore } from './saga-store.ts';

/**
 * What the order service does without being asked: publish its outbox, take its steps of the saga, forget old
 * Idempotency-Keys.
 */
await runService('order-worker', workerConfigSchema, async (context) => {
  const { config, log, onStop } = context;
  const { adapter, query, transact, close } = openDatabase(config.DATABASE_URL, 8);
  const prisma = new PrismaClient({ adapter });
  onStop('database', close);
  const orders = createOrderStore(prisma, query);

  return {
    app: createHttpApp({ title: 'Order worker', routes: [], log, production: true }),
    async prepare() {
      await migrate(config.DATABASE_URL, new URL('../prisma/migrations/', import.meta.url));
      onStop(
        'idempotency keys',
        everyHour('Forgetting old Idempotency-Keys', () => orders.forgetReplies(new Date()), log),
      );
      startEventWork(context, {
        clientId: 'order',
        hasOutbox: true,
        database: prisma,
        group: 'order-group',
        handlers: createSaga(() => new Date()),
        transaction: createSagaStore(transact).transaction,
        chunkSize: 100,
      });
    },
    isPassing: isDatabaseAway,
    checks: { database: () => prisma.$queryRaw`select 1` },
  };
});
