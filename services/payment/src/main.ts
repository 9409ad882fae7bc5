import { randomUUID } from 'node:crypto';
import { openDatabase } from '@store/shared/database/database';
import { isDatabaseUnavailable } from '@store/shared/database/errors';
import { migrate } from '@store/shared/database/migrate';
import { createHttpApp } from '@store/shared/http/app';
import { startEventWork } from '@store/shared/messaging/start';
import { runService } from '@store/shared/service/run-service';
import { createBuiltInProvider } from './built-in-provider.ts';
import { configSchema } from './config.ts';
import { PrismaClient } from './generated/client.ts';
import { createPaymentRepository } from './payment-repository.ts';
import { createPayments } from './payments.ts';

await runService('payment', configSchema, async (context) => {
  const { config, log, onStop } = context;
  const { adapter, close, ...database } = openDatabase(config.DATABASE_URL);
  const prisma = new PrismaClient({ adapter });
  onStop('database', close);
  const repository = createPaymentRepository(database);
  const payments = createPayments({
    repository,
    provider: createBuiltInProvider(config.PAYMENT_DECLINE_ABOVE),
    clock: () => new Date(),
    newId: randomUUID,
  });

  return {
    app: createHttpApp({ title: 'Payment', routes: [], log, production: config.APP_PROFILE === 'prod' }),
    async prepare() {
      await migrate(config.DATABASE_URL, new URL('../prisma/migrations/', import.meta.url));
      startEventWork(context, {
        ...payments,
        clientId: 'payment',
        hasOutbox: true,
        database: prisma,
        group: 'payment-group',
        transaction: repository.transaction,
        // A cancellation must be stored before the order's next event is prepared.
        chunkSize: 1,
      });
    },
    isTransient: isDatabaseUnavailable,
    checks: { database: () => prisma.$queryRaw`select 1` },
  };
});
