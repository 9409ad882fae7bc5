import { createHttpApp } from '@store/shared/http/app';
import { outgoing } from '@store/shared/outgoing/outgoing';
import { deadLetterRoutes } from '@store/shared/service/dead-letter-routes';
import type { Service, ServiceContext, ServiceDefinition } from '@store/shared/service/service';
import { loop } from '@store/shared/values/loop';
import { addUpBalances } from './books/balance-repository.ts';
import { createBookRepository } from './books/book-repository.ts';
import { createBooks } from './books/books.ts';
import { measureBooks } from './books/gauges.ts';
import { bookUnbooked } from './books/opening-repository.ts';
import { bookRoutes } from './books/routes.ts';
import { configSchema, type PaymentConfig } from './config.ts';
import { createConsumerGroup } from './consumer-group.ts';
import { PrismaClient } from './generated/client.ts';
import { createPaymentRepository } from './payment-repository.ts';
import { providerCalls } from './provider-calls.ts';
import type { PaymentProvider } from './providers/provider.ts';
import { providers } from './providers/providers.ts';
import { paymentRoutes } from './routes.ts';

interface Replaceable {
  provider?: PaymentProvider;
  clock?: () => Date;
}

export function createPaymentService(
  { config, log, database }: ServiceContext<PaymentConfig, PrismaClient>,
  { provider: replaced, clock = () => new Date() }: Replaceable = {},
) {
  const repository = createPaymentRepository(database);
  const provider = replaced ?? providers['built-in']({ config, payments: repository });
  const group = createConsumerGroup(clock);
  const consumer = { group, config, publishesAs: 'payment' };
  const books = createBooks({ repository: createBookRepository(database), provider, clock });
  const routes = [...paymentRoutes(repository), ...bookRoutes(books), ...deadLetterRoutes(consumer, database)];
  return {
    app: createHttpApp({ title: 'Payment', routes, log, config }),
    consumer,
    jobs: [
      outgoing(database, providerCalls({ provider, clock })),
      loop({ name: 'balances of the books', everyMs: 5_000 }, () => addUpBalances(database)),
      loop({ name: 'payments that the books lack', everyMs: 30_000 }, () => database.inTransaction(bookUnbooked)),
      measureBooks(books),
    ],
  } satisfies Service<PrismaClient>;
}

export const paymentService: ServiceDefinition<typeof configSchema, PrismaClient> = {
  name: 'payment',
  configSchema,
  database: { PrismaClient, migrations: new URL('../prisma/migrations/', import.meta.url) },
  build: createPaymentService,
};
