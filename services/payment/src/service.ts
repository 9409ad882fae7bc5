import { lookRecorder } from '@store/shared/database/audit';
import { createHttpApp } from '@store/shared/http/app';
import { outgoing } from '@store/shared/outgoing/outgoing';
import { deadLetterRoutes } from '@store/shared/service/dead-letter-routes';
import type { Service, ServiceContext, ServiceDefinition } from '@store/shared/service/service';
import { loop } from '@store/shared/values/loop';
import { actionRoutes } from './action-routes.ts';
import { createDecide } from './actions.ts';
import { createAsk } from './ask-provider.ts';
import { addUpBalances } from './books/balance-repository.ts';
import { createBookRepository } from './books/book-repository.ts';
import { createBooks } from './books/books.ts';
import { measureBooks } from './books/gauges.ts';
import { bookMissingShipments } from './books/missing-shipments.ts';
import { bookUnbooked } from './books/opening-repository.ts';
import { bookRoutes } from './books/routes.ts';
import { createBuiltInActions } from './built-in-action-repository.ts';
import { callbackRoutes } from './callback-routes.ts';
import { listChanges } from './changes.ts';
import { configSchema, type PaymentConfig } from './config.ts';
import { createConsumerGroup } from './consumer-group.ts';
import { countDisputes } from './dispute-count.ts';
import { PrismaClient } from './generated/client.ts';
import { createListingRepository } from './listing-repository.ts';
import { countOpenSteps, createSettleOpen } from './open-steps.ts';
import { createOrderClient, type OrderClient } from './order-client.ts';
import { createPaymentRepository } from './payment-repository.ts';
import { providerCalls } from './provider-calls.ts';
import type { PaymentProvider } from './providers/provider.ts';
import { createProviders } from './providers/providers.ts';
import { createRefundRepository } from './refund-repository.ts';
import { refundRoutes } from './refund-routes.ts';
import { createRefunds } from './refunds.ts';
import { createReturnedRepository } from './returned-repository.ts';
import { paymentRoutes } from './routes.ts';
import { createStepRepository } from './step-repository.ts';

interface Replaceable {
  provider?: PaymentProvider;
  orders?: OrderClient;
  clock?: () => Date;
}

export function createPaymentService(
  { config, log, database }: ServiceContext<PaymentConfig, PrismaClient>,
  {
    provider: replaced,
    orders = createOrderClient({ baseUrl: config.ORDER_URL, credential: config.INTERNAL_CREDENTIAL }),
    clock = () => new Date(),
  }: Replaceable = {},
) {
  const repository = createPaymentRepository(database);
  const steps = createStepRepository(database);
  const actions = createBuiltInActions(database);
  const returnUrlOf = (orderId: string) => `${config.SHOP_URL}/#/orders/${orderId}`;
  const named = createProviders({ config, payments: repository, actions });
  const provider = replaced ?? named(config.PAYMENT_PROVIDER);
  const ask = createAsk({
    provider,
    providerNamed: (name) => (name === provider.name ? provider : named(name)),
    payments: repository,
    orders,
    returnUrlOf,
  });
  const calls = outgoing(database, providerCalls({ ask, clock }));
  const group = createConsumerGroup(calls, clock);
  const consumer = { group, config, publishesAs: 'payment' };
  const refundRepository = createRefundRepository(database);
  const refunds = createRefunds({
    transactionOf: database.transactionOf,
    repository: refundRepository,
    payments: repository,
    orders,
    recordLook: lookRecorder(database),
    clock,
  });
  const bookRepository = createBookRepository(database);
  const books = createBooks({ repository: bookRepository, provider, clock });
  const { inTransaction } = database;
  const routes = [
    ...paymentRoutes({
      payments: repository,
      refunds,
      returned: createReturnedRepository(database),
      steps,
      settleOpen: createSettleOpen({ inTransaction, clock, provider }),
    }),
    ...refundRoutes(refunds),
    ...actionRoutes({ actions, decide: createDecide({ inTransaction }), returnUrlOf }),
    ...callbackRoutes(provider, database),
    ...bookRoutes(books),
    ...deadLetterRoutes(consumer, database),
  ];
  return {
    app: createHttpApp({ title: 'Payment', routes, log, config }),
    consumer,
    jobs: [
      calls,
      countOpenSteps(steps),
      // Nothing happens at a provider that keeps no intents.
      ...('intentIdOf' in provider ? [] : [listChanges(createListingRepository(database), inTransaction, provider)]),
      loop({ name: 'balances of the books', everyMs: 5_000 }, () => addUpBalances(database)),
      loop({ name: 'payments that the books lack', everyMs: 30_000 }, () => database.inTransaction(bookUnbooked)),
      bookMissingShipments({ repository: bookRepository, orders, inTransaction }),
      measureBooks(books),
      countDisputes(refundRepository),
    ],
  } satisfies Service<PrismaClient>;
}

export const paymentService: ServiceDefinition<typeof configSchema, PrismaClient> = {
  name: 'payment',
  configSchema,
  database: { PrismaClient, migrations: new URL('../prisma/migrations/', import.meta.url) },
  build: createPaymentService,
};
