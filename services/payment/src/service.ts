import { randomUUID } from 'node:crypto';
import { type BearerValidator, bearerFrom } from '@store/shared/auth/bearer';
import { callersWith } from '@store/shared/auth/internal-credentials';
import { createHttpApp } from '@store/shared/http/app';
import { deadLetterRoutes } from '@store/shared/service/dead-letter-routes';
import type { Service, ServiceContext, ServiceDefinition } from '@store/shared/service/service';
import { createBuiltInProvider } from './built-in-provider.ts';
import { configSchema, type PaymentConfig } from './config.ts';
import { createConsumerGroup } from './consumer-group.ts';
import { PrismaClient } from './generated/client.ts';
import type { DB } from './generated/tables.ts';
import { createPaymentRepository } from './payment-repository.ts';
import type { PaymentProvider } from './provider.ts';
import { paymentRoutes } from './routes.ts';

interface Replaceable {
  provider?: PaymentProvider;
  clock?: () => Date;
  bearer?: BearerValidator;
}

export function createPaymentService(
  { config, log, database }: ServiceContext<PaymentConfig, DB>,
  {
    provider = createBuiltInProvider(config.PAYMENT_DECLINE_ABOVE),
    clock = () => new Date(),
    bearer,
  }: Replaceable = {},
) {
  const prisma = new PrismaClient({ adapter: database.adapter });
  const repository = createPaymentRepository(prisma, database);
  const group = createConsumerGroup({ repository, provider, clock, newId: randomUUID });
  const consumer = { group, config, publishesAs: 'payment' };
  const routes = [...paymentRoutes(repository), ...deadLetterRoutes(consumer, database.kysely)];
  const callers = callersWith(config.INTERNAL_CREDENTIALS);
  return {
    app: createHttpApp({ title: 'Payment', routes, log, profile: config.APP_PROFILE, bearer, callers }),
    consumer,
  } satisfies Service<DB>;
}

export const paymentService: ServiceDefinition<typeof configSchema, DB> = {
  name: 'payment',
  configSchema,
  migrations: new URL('../prisma/migrations/', import.meta.url),
  build: async (context) => createPaymentService(context, { bearer: await bearerFrom(context.config) }),
};
